import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFeeds } from '../../src/main/capture/index.ts';
import { addressKind } from '../../src/main/capture/plan/address-kind.ts';
import { SecretHosts } from '../../src/main/capture/plan/secret-hosts.ts';
import { temporaryFolder } from '../support/core.ts';

async function target(): Promise<{ readonly url: string; readonly tokens: (string | undefined)[] }> {
  const tokens: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    response.end('power_w 5\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`, tokens };
}

/** A user who answers prompts, and the prompts. */
function person(answers: readonly ('no' | 'once' | 'always')[]) {
  const prompts: string[] = [];
  return {
    asked: prompts,
    confirm: async ({ detail }: { readonly detail: string }) => {
      prompts.push(detail);
      return answers[prompts.length - 1] ?? 'no';
    },
  };
}

const scrape = (url: string, bearer = ''): string =>
  `feeds: [{kind: prometheus, url: "${url}"${bearer === '' ? '' : `, bearer: "${bearer}"`}}]`;

async function testOf(feeds: ReturnType<typeof createFeeds>, plan: string): Promise<void> {
  for await (const _ of feeds.test(plan, new AbortController().signal));
}

test('a secret goes to a new host only after the user allows it, and then without another prompt', async () => {
  process.env.FAULTLINE_TEST_TOKEN = 's3cret';
  process.env.FAULTLINE_OTHER_TOKEN = '0ther';
  onTestFinished(() => {
    delete process.env.FAULTLINE_TEST_TOKEN;
    delete process.env.FAULTLINE_OTHER_TOKEN;
  });
  const [first, second] = [await target(), await target()];
  const file = join(await temporaryFolder(), 'home', 'secret-hosts.json');
  const user = person(['no', 'no', 'always', 'no', 'no']);
  const windows = createFeeds(false, new SecretHosts(file, user.confirm));
  const plan = scrape(first.url, 'env:FAULTLINE_TEST_TOKEN');
  await expect(windows.open(plan)).rejects.toThrow(
    /this was not allowed: env:FAULTLINE_TEST_TOKEN goes to http:\/\/127/,
  );
  await expect(testOf(windows, plan)).rejects.toThrow(/not allowed/);
  expect(first.tokens).toEqual([]);
  await testOf(windows, plan);
  expect(first.tokens).toEqual(['Bearer s3cret']);
  await windows.open(plan);
  await createFeeds(false, new SecretHosts(file, null)).open(plan);
  expect(user.asked).toHaveLength(3);
  // Another host, and another secret for the same host, are new.
  await expect(windows.open(scrape(second.url, 'env:FAULTLINE_TEST_TOKEN'))).rejects.toThrow(/not allowed/);
  await expect(windows.open(scrape(first.url, 'env:FAULTLINE_OTHER_TOKEN'))).rejects.toThrow(/not allowed/);
  expect([user.asked.length, second.tokens]).toEqual([5, []]);
});

test('"once" is valid once, and without a prompt it is refused', async () => {
  const user = person(['once', 'once']);
  const windows = createFeeds(false, new SecretHosts(null, user.confirm));
  const plan = scrape('http://node-3.invalid:9400/metrics', 'keychain:dcgm');
  await windows.open(plan);
  await windows.open(plan);
  expect(user.asked).toHaveLength(2);
  await expect(createFeeds(false).open(plan)).rejects.toThrow(/not allowed/);
});

test.each([
  ['an address', 'http://169.254.169.254/latest/meta-data/iam'],
  ['a number', 'http://2852039166/'],
  ['mapped into IPv6', 'http://[::ffff:169.254.169.254]/'],
  ['of IPv6', 'http://[fe80::1]:9100/metrics'],
  ['of AWS', 'http://[fd00:ec2::254]/'],
  ['a name of Google', 'http://metadata.google.internal/'],
])('a link-local or metadata address (%s) needs a prompt even without a secret', async (_, url) => {
  const user = person([]);
  await expect(createFeeds(false, new SecretHosts(null, user.confirm)).open(scrape(url))).rejects.toThrow(/link-local/);
  expect(user.asked).toEqual([expect.stringContaining('in a cloud it gives out credentials of this machine')]);
});

test('the prompt names the kind of other addresses; without a secret there is no prompt', async () => {
  expect(
    await Promise.all(['10.1.2.3', '192.168.0.1', '[::1]', '127.0.0.1', '8.8.8.8', 'fd12::1'].map(addressKind)),
  ).toEqual(['private', 'private', 'loopback', 'loopback', 'public', 'private']);
  const user = person([]);
  const windows = createFeeds(false, new SecretHosts(null, user.confirm));
  await windows.open(scrape('http://10.1.2.3:9100/metrics'));
  await windows.open('feeds: [{kind: snmp, host: 10.1.2.3}, {kind: otlp}]');
  expect(user.asked).toEqual([]);
  for (const host of ['fe80::1%eth0', 'a b', '[', '\\u202eevil'])
    await expect(
      windows.open(`feeds: [{kind: snmp, host: "${host}", community: "env:FAULTLINE_SNMP"}]`),
      host,
    ).rejects.toThrow(/not allowed/);
  expect(user.asked.splice(0).join('\n')).not.toContain('\u202e');
  const pdu = 'feeds: [{kind: snmp, host: "10.1.2.3", community: "env:FAULTLINE_SNMP"}]';
  await expect(windows.open(pdu)).rejects.toThrow(/private network/);
  expect(user.asked).toEqual(['env:FAULTLINE_SNMP goes to snmp 10.1.2.3:161 (an address of a private network)']);
});

test("this machine's provider credentials are a secret, too, if a plan names the host", async () => {
  const user = person([]);
  const windows = createFeeds(false, new SecretHosts(null, user.confirm));
  await windows.open('feeds: [{kind: aws, region: us-east-1}, {kind: gcp, project: a-project}]');
  expect(user.asked).toEqual([]);
  for (const plan of [
    'feeds: [{kind: aws, region: us-east-1, endpoint: "https://evil.invalid"}]',
    'feeds: [{kind: azure, subscription: 00000000-0000-4000-8000-000000000001, authority: "https://evil.invalid"}]',
    'feeds: [{kind: gcp, project: a-project, endpoint: "https://evil.invalid"}]',
  ])
    await expect(windows.open(plan), plan).rejects.toThrow(
      /credentials of this machine goes to https:\/\/evil.invalid/,
    );
});

test("a page may name only Faultline's environment variables; the command line may name any", async () => {
  const plan = scrape('http://127.0.0.1:9/metrics', 'env:AWS_SECRET_ACCESS_KEY');
  await expect(createFeeds(false, new SecretHosts(null, async () => 'always')).open(plan)).rejects.toThrow(
    /bearer: only a plan that is run from the command line/,
  );
  expect(createFeeds(false).readPlan(plan).problems).toEqual([
    { feed: 0, path: 'bearer', message: expect.stringContaining('does not begin with FAULTLINE_') },
  ]);
  await createFeeds(true).open(plan);
});

test('many hosts give several short prompts; one refusal refuses all', async () => {
  const user = person(['always', 'no', 'no']);
  const windows = createFeeds(false, new SecretHosts(null, user.confirm));
  const feeds = Array.from(
    { length: 20 },
    (_, i) => `{kind: snmp, host: 10.0.0.${i}, community: "env:FAULTLINE_SNMP"}`,
  );
  const plan = `feeds: [${feeds.join(', ')}]`;
  await expect(windows.open(plan)).rejects.toThrow(/not allowed/);
  expect(user.asked.map((detail) => detail.split('\n').length)).toEqual([15, 5]);
  await expect(windows.open(plan)).rejects.toThrow(/not allowed/);
  expect(user.asked).toHaveLength(3);
});
