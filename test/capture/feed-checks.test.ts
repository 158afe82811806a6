import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { feeds } from '../../src/main/capture/index.ts';
import { faultline } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';
import { hasSnmpd, snmpd } from '../support/snmpd.ts';

interface CheckReport {
  readonly step: string;
  readonly passed: boolean;
  readonly detail: string;
  readonly hint: string;
}

/** Test steps for a plan of one feed. */
async function stepsOf(feed: string): Promise<CheckReport[]> {
  const checks: CheckReport[] = [];
  for await (const event of feeds.test(`feeds: [{${feed}}]`, new AbortController().signal))
    if (event.kind === 'check') checks.push({ hint: '', ...event.check });
    else expect(event.passed).toBe(checks.every(({ passed }) => passed));
  return checks;
}
const passes = (checks: readonly CheckReport[]): (readonly [string, boolean])[] =>
  checks.map(({ step, passed }) => [step, passed] as const);

async function listening(answer: (path: string) => readonly [number, string]): Promise<number> {
  const server = createServer(({ url }, response) => {
    const [status, body] = answer(url ?? '');
    response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A port that was free just now. */
async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('a feed test reports the failed step', () => {
  test('OTLP: whether it can listen', async () => {
    const taken = await listening(() => [200, '']);
    expect(passes(await stepsOf('kind: otlp, grpc: "127.0.0.1:0", http: "127.0.0.1:0"'))).toEqual([
      ['port', true],
      ['port', true],
    ]);
    const checks = await stepsOf(`kind: otlp, grpc: "127.0.0.1:0", http: "127.0.0.1:${taken}"`);
    expect(passes(checks)).toEqual([
      ['port', true],
      ['port', false],
    ]);
    expect(checks[1]?.detail).toMatch(/HTTP cannot listen .* something listens there already/);
    expect(passes(await stepsOf('kind: otlp, grpc: null, http: null'))).toEqual([['port', false]]);
    const [elsewhere] = await stepsOf('kind: otlp, grpc: "203.0.113.7:4317", http: null');
    expect(elsewhere?.detail).toMatch(/no such address/);
  });

  test('Prometheus: name, port, token, path, values', async () => {
    const port = await listening((path) =>
      path === '/metrics' ? [200, '# TYPE up gauge\nup 1\n'] : path === '/closed' ? [403, ''] : [404, ''],
    );
    const at = (path: string) => stepsOf(`kind: prometheus, url: "http://127.0.0.1:${port}${path}"`);
    expect(passes(await at('/metrics'))).toEqual([
      ['port', true],
      ['auth', true],
      ['values', true],
    ]);
    const closed = await at('/closed');
    expect(closed.at(-1)).toMatchObject({ step: 'auth', passed: false, hint: expect.stringMatching(/token/) });
    expect((await at('/')).at(-1)).toMatchObject({ step: 'values', hint: expect.stringMatching(/\/metrics/) });
    const gone = await stepsOf(`kind: prometheus, url: "http://127.0.0.1:${await closedPort()}/metrics"`);
    expect(gone).toMatchObject([
      { step: 'port', passed: false, detail: expect.stringMatching(/nothing listens there/) },
    ]);
    const unnamed = await stepsOf('kind: prometheus, url: "http://no-such-host.invalid/metrics"');
    expect(passes(unnamed)).toEqual([['name', false]]);
    const secretless = await stepsOf(
      `kind: prometheus, url: "http://127.0.0.1:${port}/metrics", bearer: "env:NOT_SET"`,
    );
    expect(passes(secretless)).toEqual([['secret', false]]);
  });

  test('a port without TLS for an https URL', async () => {
    const port = await listening(() => [200, '']);
    const checks = await stepsOf(`kind: prometheus, url: "https://127.0.0.1:${port}/metrics"`);
    expect(checks.at(-1)).toMatchObject({ step: 'tls', passed: false });
  });

  test('RAPL: zones, and whether they may be read', async () => {
    const root = join(await temporaryFolder(), 'powercap');
    expect(passes(await stepsOf(`kind: rapl, root: ${root}`))).toEqual([['values', false]]);
    const zone = join(root, 'intel-rapl:0');
    await mkdir(zone, { recursive: true });
    await writeFile(join(zone, 'name'), 'package-0\n');
    await writeFile(join(zone, 'energy_uj'), '1\n');
    expect(passes(await stepsOf(`kind: rapl, root: ${root}`))).toEqual([
      ['view', true],
      ['values', true],
    ]);
  });

  test.skipIf(process.getuid?.() === 0)('RAPL: counters that only root reads (skipped: root reads all)', async () => {
    const zone = join(await temporaryFolder(), 'intel-rapl:0');
    await mkdir(zone);
    await writeFile(join(zone, 'energy_uj'), '1\n');
    await chmod(join(zone, 'energy_uj'), 0o000);
    expect(passes(await stepsOf(`kind: rapl, root: ${join(zone, '..')}`))).toEqual([['view', false]]);
  });
});

/** Test steps for a plan's push targets; its feed listens on any port. */
async function pushStepsOf(push: string): Promise<CheckReport[]> {
  const plan = `feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]\npush: {${push}}`;
  const checks: CheckReport[] = [];
  const places = new Set<string>();
  for await (const event of feeds.test(plan, new AbortController().signal)) {
    places.add(`${event.feed} ${event.name}`);
    if (event.feed === 0) continue;
    if (event.kind === 'check') checks.push({ hint: '', ...event.check });
    else expect(event.passed).toBe(checks.every(({ passed }) => passed));
  }
  expect([...places].sort()).toEqual([
    '0 OTLP receiver',
    push.startsWith('otlp') ? '1 OTLP push' : '1 Prometheus page',
  ]);
  return checks;
}

describe('a push test reports the failed step', () => {
  test('OTLP push: secret, port, and whether the receiver accepts traces', async () => {
    const operations: string[] = [];
    const port = await listening((path) => {
      operations.push(path);
      if (path.startsWith('/busy/')) return [503, ''];
      return path.startsWith('/closed/') ? [401, ''] : [200, '{}'];
    });
    const at = (url: string, more = '') => pushStepsOf(`otlp: {url: "${url}"${more}}`);
    process.env['TEST_PUSH_TOKEN'] = 'open sesame';
    const headers = ', headers: {authorization: "env:TEST_PUSH_TOKEN"}';
    expect(passes(await at(`http://127.0.0.1:${port}`, headers))).toEqual([
      ['secret', true],
      ['port', true],
      ['auth', true],
    ]);
    expect(operations).toEqual(['/v1/traces']);
    const closed = await at(`http://127.0.0.1:${port}/closed`, headers);
    expect(closed.at(-1)).toMatchObject({ step: 'auth', passed: false, detail: expect.stringMatching(/answers 401/) });
    expect(closed.at(-1)?.hint).not.toBe('');
    expect(JSON.stringify(closed)).not.toMatch(/sesame/);
    const secretless = await at(`http://127.0.0.1:${port}`, ', headers: {authorization: "env:NOT_SET"}');
    expect(passes(secretless)).toEqual([['secret', false]]);
    const gone = await at(`http://127.0.0.1:${await closedPort()}`);
    expect(gone).toMatchObject([
      { step: 'port', passed: false, detail: expect.stringMatching(/nothing listens there/) },
    ]);
    // A test reports the current state, without retries.
    const busy = await at(`http://127.0.0.1:${port}/busy`);
    expect(busy.at(-1)).toMatchObject({
      step: 'auth',
      passed: false,
      detail: expect.stringMatching(/accepts nothing now/),
    });
    expect(operations).toEqual(['/v1/traces', '/closed/v1/traces', '/busy/v1/traces']);
  });

  test('Prometheus page: whether it can listen', async () => {
    expect(passes(await pushStepsOf('prometheus: {listen: "127.0.0.1:0"}'))).toEqual([['port', true]]);
    const taken = await listening(() => [200, '']);
    const [checks] = await pushStepsOf(`prometheus: {listen: "127.0.0.1:${taken}"}`);
    expect(checks).toMatchObject({ step: 'port', passed: false });
    expect(checks?.detail).toMatch(/the metrics page cannot listen .* something listens there already/);
  });

  test('several come after the feeds, each in its place', async () => {
    const plan =
      'feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]\n' +
      `push: {otlp: {url: "http://127.0.0.1:${await closedPort()}"}, prometheus: {listen: "127.0.0.1:0"}}`;
    const ended: string[] = [];
    for await (const event of feeds.test(plan, new AbortController().signal))
      if (event.kind === 'tested') ended.push(`${event.feed} ${event.name} ${event.passed}`);
    expect(ended.sort()).toEqual(['0 OTLP receiver true', '1 OTLP push false', '2 Prometheus page true']);
  });
});

const APC = '1.3.6.1.4.1.318';
process.env['TEST_COMMUNITY'] = 'hall-b-monitor';
process.env['TEST_AUTH'] = 'a long passphrase';
process.env['TEST_PRIVACY'] = 'another passphrase';
process.env['TEST_WRONG'] = 'not the passphrase';
const USER = 'auth: sha256, auth_key: env:TEST_AUTH, privacy: aes, privacy_key: env:TEST_PRIVACY';
const v3 = (name: string, keys: string) => `version: "3", user: {name: ${name}, ${keys}}`;

async function pduAgent(lines: readonly string[] = []): Promise<string> {
  const recording = join(await temporaryFolder(), 'pdu.snmprec');
  await copyFile(join(import.meta.dirname, '../../fixtures/snmp-walk/rack-pdu2.snmprec'), recording);
  const agent = await snmpd(recording, APC, lines);
  onTestFinished(() => agent.stop());
  return `kind: snmp, host: 127.0.0.1, timeout_s: 0.5, port: ${agent.port}`;
}

describe.skipIf(!hasSnmpd)('a test of a real SNMP agent (skipped: snmpd is not installed)', () => {
  test.each([
    ['the right community', 'community: env:TEST_COMMUNITY'],
    ['the right keys', v3('investigator', USER)],
  ])('passes every step with %s', async (_, settings) => {
    const checks = await stepsOf(`${await pduAgent()}, ${settings}`);
    expect(passes(checks)).toEqual([
      ['secret', true],
      ['port', true],
      ['auth', true],
      ['view', true],
      ['values', true],
    ]);
    expect(checks.at(-1)?.detail).toMatch(/rack-7-pdu-a: \d+ values are read/);
  });

  test.each([
    ['a wrong key', v3('investigator', USER.replace('TEST_AUTH', 'TEST_WRONG')), /authentication key or its protocol/],
    [
      'a wrong privacy key',
      v3('investigator', USER.replace('TEST_PRIVACY', 'TEST_WRONG')),
      /privacy key|does not answer/,
    ],
    ['an unknown user', v3('nobody', USER), /knows no such user/],
    ['a wrong community', 'community: env:TEST_WRONG', /does not answer this community/],
  ])('%s fails at auth, in one line without the secret', async (_, settings, detail) => {
    const checks = await stepsOf(`${await pduAgent()}, ${settings}`);
    expect(passes(checks)).toEqual([
      ['secret', true],
      ['port', true],
      ['auth', false],
    ]);
    expect(checks.at(-1)?.detail).toMatch(detail);
    expect(checks.at(-1)?.hint).not.toBe('');
    expect(JSON.stringify(checks)).not.toMatch(/passphrase|hall-b-monitor|\\n/);
  });

  test('a user who may see nothing fails at view', async () => {
    const blind = ['createUser blind SHA-256 "a long passphrase" AES "another passphrase"'];
    const checks = await stepsOf(`${await pduAgent(blind)}, ${v3('blind', USER)}`);
    expect(passes(checks).at(-1)).toEqual(['view', false]);
  });

  test('a view without the device itself fails at values', async () => {
    const narrow = ['view system included .1.3.6.1.2.1.1', 'rocommunity narrow default -V system'];
    process.env['TEST_NARROW'] = 'narrow';
    const checks = await stepsOf(`${await pduAgent(narrow)}, community: env:TEST_NARROW`);
    expect(passes(checks).at(-1)).toEqual(['values', false]);
    expect(checks.at(-1)?.detail).toMatch(/none of its values is a known/);
  });

  test('a port where nothing listens fails at port', async () => {
    const checks = await stepsOf('kind: snmp, host: 127.0.0.1, port: 1, timeout_s: 0.5');
    expect(passes(checks)).toEqual([['port', false]]);
  });

  test('from the command line: a line for each step, and a failure when one did not pass', async () => {
    const plan = join(await temporaryFolder(), 'plan.yaml');
    const agent = await pduAgent();
    await writeFile(plan, `feeds: [{name: pdu, ${agent}, community: env:TEST_COMMUNITY}]`);
    const good = await faultline('capture', plan, '--test');
    expect(good.err).toBe('');
    expect(good.code).toBe(0);
    expect(good.out.split('\n').filter((line) => line.startsWith('pdu: '))).toHaveLength(5);
    await writeFile(
      plan,
      `feeds: [{name: pdu, ${agent}, ${v3('nobody', USER)}}, {kind: otlp, grpc: null, http: "127.0.0.1:0"}]`,
    );
    const bad = await faultline('capture', plan, '--test');
    expect(bad.code).toBe(1);
    expect(bad.out).toMatch(/pdu: auth FAILED, the agent knows no such user \(user nobody\)\n {2}check the user/);
    expect(bad.out).toMatch(/OTLP receiver: port ok/);
    expect(bad.err).toMatch(/1 of 2 tests did not pass/);
  });
});
