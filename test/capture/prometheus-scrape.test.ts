import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { feeds } from '../../src/main/capture/index.ts';
import type { FeedTestEvent } from '../../src/model/storage/feed.ts';
import { captureWhile as capture, isState } from '../support/capture-run.ts';
import { temporaryFolder } from '../support/core.ts';

const DCGM = join(import.meta.dirname, '../../fixtures/prometheus/dcgm-exporter-8xh100.prom');

interface Exporter {
  readonly url: string;
  readonly requests: IncomingHttpHeaders[];
  status: number;
  /** Its response, if it answers. */
  text: string;
}

/** Serves the recorded response of an exporter. */
async function exporter(): Promise<Exporter> {
  const text = await readFile(DCGM, 'utf8');
  const state = { url: '', requests: [] as IncomingHttpHeaders[], status: 200, text };
  const server = createServer((request, response) => {
    state.requests.push(request.headers);
    response
      .writeHead(state.status, { 'content-type': 'text/plain; version=0.0.4' })
      .end(state.status === 200 ? state.text : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
  return state;
}

test('repeated scrapes of a dcgm-exporter give the same GPUs as a file of it', async () => {
  const target = await exporter();
  const { core } = await capture(`feeds: [{kind: prometheus, url: "${target.url}", every_s: 1}]`, () =>
    expect.poll(() => target.requests.length).toBeGreaterThan(3),
  );
  const { rows } = await core.api['query.sql']({
    sql: "select count(distinct entity)::integer, count(distinct time_ns)::integer from metrics where entity_kind = 'gpu' and metric = 'hw.power'",
  });
  expect(rows[0]?.[0]).toBe(8);
  expect(rows[0]?.[1]).toBeGreaterThanOrEqual(2);
  const info = await core.api['case.current']({});
  expect(info?.sources[0]?.remarks.join('\n')).not.toContain('no times in the file');
});

test('a failing target is a gap with its reason, and is retried; its token goes nowhere else', async () => {
  process.env.SCRAPE_TOKEN_OF_TEST = 's3cret-token';
  onTestFinished(() => {
    delete process.env.SCRAPE_TOKEN_OF_TEST;
  });
  const target = await exporter();
  const plan = `feeds: [{kind: prometheus, url: "${target.url}", every_s: 1, bearer: env:SCRAPE_TOKEN_OF_TEST}]`;
  const { core, events } = await capture(plan, async (until) => {
    await until(isState('up'));
    target.status = 503;
    await until(isState('down'));
    target.status = 200;
    await until(isState('up'));
  });
  const reportedTexts = events.flatMap((event) => (event.kind === 'feed' ? [`${event.state}: ${event.reason}`] : []));
  expect(reportedTexts).toEqual(['up: scraped', 'down: it answered 503 Service Unavailable', 'up: scraped']);
  expect(target.requests[0]?.authorization).toBe('Bearer s3cret-token');
  const info = await core.api['case.current']({});
  const reported = JSON.stringify([info?.sources, events], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  expect(reported).toMatch(/nothing was received from .* on: it answered 503/);
  expect(reported).not.toContain('s3cret-token');
});

test.each([
  ['nothing', ''],
  ['a page to log in', '<html><body>who are you?</body></html>'],
])('a target that answers %s is a gap with its reason', async (_, text) => {
  const target = await exporter();
  target.text = text;
  const { core, events } = await capture(
    `feeds: [{kind: prometheus, url: "${target.url}", every_s: 1}]`,
    async (until) => {
      await until((event) => event.kind === 'feed');
      await expect.poll(() => target.requests.length).toBeGreaterThan(2);
    },
  );
  const states = events.flatMap((event) => (event.kind === 'feed' ? [`${event.state}: ${event.reason}`] : []));
  expect(states).toEqual(['down: its answer has no metrics']);
  const { rows } = await core.api['query.sql']({ sql: 'select reason from outages' });
  expect(rows).toEqual([['its answer has no metrics']]);
});

test('a wrong http or https in the URL gives the right address', async ({ skip }) => {
  const folder = await temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = spawnSync('openssl', [
    ...'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout'.split(' '),
    key,
    '-out',
    cert,
  ]);
  if (made.status !== 0) return skip('openssl is not installed');
  const secure = createSecureServer({ key: await readFile(key), cert: await readFile(cert) }, (_, response) =>
    response.end('power_w 5\n'),
  );
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void secure.close());
  const plain = await exporter();
  const { port } = secure.address() as AddressInfo;
  for (const [url, hint] of [
    [`http://127.0.0.1:${port}/metrics`, 'this port speaks HTTPS; write https://'],
    [plain.url.replace('http:', 'https:'), 'this port does not speak HTTPS; write http://'],
  ]) {
    const plan = `feeds: [{kind: prometheus, url: "${url}", every_s: 1}]`;
    const { events } = await capture(plan, (until) => until(isState('down')));
    const down = events.find((event) => event.kind === 'feed');
    expect(down).toMatchObject({ reason: expect.stringContaining(hint!) });
    const checks: FeedTestEvent[] = [];
    for await (const event of feeds.test(plan, new AbortController().signal)) checks.push(event);
    expect(checks.at(-2)).toMatchObject({
      check: { step: 'tls', passed: false, detail: expect.stringContaining(hint!) },
    });
  }
});

test('an unreachable target, a missing token and an invalid plan', async () => {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  const { events } = await capture(
    `feeds: [{kind: prometheus, url: "http://127.0.0.1:${port}/metrics", every_s: 1}]`,
    (until) => until(isState('down')),
  );
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'feed', state: 'down', reason: 'nothing listens there (ECONNREFUSED)' }),
  );
  const unknown = 'feeds: [{kind: prometheus, url: "http://127.0.0.1:9/metrics", bearer: env:NOBODY_SET_THIS}]';
  const ended = (await capture(unknown, (until) => until(({ kind }) => kind === 'ended'))).events.at(-1);
  expect(ended).toMatchObject({ feeds: [{ problem: { code: 'feed.no_secret' } }] });
  for (const url of ['http://user:secret@host/metrics', 'file:///etc/passwd', 'nonsense'])
    await expect(feeds.open(`feeds: [{kind: prometheus, url: "${url}"}]`)).rejects.toThrow(/url/);
});
