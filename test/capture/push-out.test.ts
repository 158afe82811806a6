import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createFeeds, feeds } from '../../src/main/capture/index.ts';
import type { CaptureEvent } from '../../src/model/contract/index.ts';
import { openTestCore, type TestCore } from '../support/core.ts';
import { demoFiles } from '../support/demo-case.ts';
import { postOtlp } from '../support/post-otlp.ts';

async function receiver(port = 0, answer = '{}') {
  const got: { path: string; token: string | undefined; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      got.push({
        path: request.url ?? '',
        token: request.headers.authorization,
        body: String(gunzipSync(Buffer.concat(chunks))),
      });
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const close = () => new Promise((resolve) => server.close(resolve));
  return { got, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A small case: its findings are concluded again for each push. */
async function incidentCore(): Promise<TestCore> {
  const core = await openTestCore(undefined, { feeds });
  const folder = join(import.meta.dirname, '../../fixtures/incidents/pdu-sag');
  await core.import(['events', 'topology', 'traces'].map((name) => join(folder, `${name}.json`)));
  return core;
}

async function until(isReached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isReached())) await new Promise((resolve) => setTimeout(resolve, 200));
}

const reasons = (second: number, mask: number) => ({
  timeUnixNano: String((1_773_453_600n + BigInt(second)) * 1_000_000_000n),
  asInt: String(mask),
});

test('a running capture pushes its findings to an OTLP receiver and to its Prometheus page', async () => {
  process.env.PUSH_TOKEN_OF_TEST = 'Bearer open sesame';
  const { got, url } = await receiver();
  const [topology, events, ...recorded] = await demoFiles();
  const core = await openTestCore(undefined, { feeds });
  await core.import([topology, events]);
  const stop = new AbortController();
  const newsEvents: CaptureEvent[] = [];
  const plan = `feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]
push:
  otlp: {url: "${url}", headers: {authorization: env:PUSH_TOKEN_OF_TEST}, every_s: 1}
  prometheus: {listen: "127.0.0.1:0", every_s: 1}`;
  const running = (async () => {
    for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal })) newsEvents.push(event);
  })();
  const statesOf = (name: string) =>
    newsEvents.flatMap((event) => {
      if (event.kind === 'push' && event.push === name) return event.reason;
      return event.kind === 'feed' && event.feed === name ? event.about : [];
    })[0] ?? '';
  await until(() => statesOf('Prometheus page') !== '' && statesOf('OTLP receiver') !== '');
  const page = statesOf('Prometheus page');
  const into = `http://${/http (127\.0\.0\.1:\d+)/.exec(statesOf('OTLP receiver'))?.[1]}/v1`;
  const post = (signal: string, body: string) => postOtlp(`${into}/${signal}`, body);
  for (const [at, signal] of ['metrics', 'logs', 'traces'].entries())
    for (const line of String(gunzipSync(await readFile(recorded[at]!)))
      .trimEnd()
      .split('\n'))
      await post(signal, line);
  const resource = {
    attributes: [
      { key: 'faultline.entity.kind', value: { stringValue: 'gpu' } },
      { key: 'faultline.entity.id', value: { stringValue: 'gpu-node-05/GPU-1' } },
    ],
  };
  const dataPoints = [reasons(0, 0), reasons(5, 0x80), reasons(10, 0x80), reasons(15, 4), reasons(20, 0)];
  const metrics = [{ name: 'hw.gpu.clocks_event_reasons', unit: '1', gauge: { dataPoints } }];
  await post('metrics', JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] }));

  const read = async () => (await fetch(page)).text();
  await until(
    async () => /faultline_incidents 2\n/.test(await read()) && (await read()).includes('gpu_throttle_brake'),
  );
  const text = await read();
  expect(text).toMatch(
    /^# TYPE gpu_throttle_brake_seconds_total counter\ngpu_throttle_brake_seconds_total\{gpu="gpu-node-05\/GPU-1"\} 10$/m,
  );
  expect(text).toMatch(/^gpu_throttle_power_seconds_total\{gpu="gpu-node-05\/GPU-1"\} 5$/m);
  expect(text).toMatch(
    /^# TYPE gpu_throttle_hw_active gauge\ngpu_throttle_hw_active\{gpu="gpu-node-05\/GPU-1".*\} 0$/m,
  );
  expect(text).toMatch(/^gpu_throttle_power_active\{gpu="gpu-node-05\/GPU-1".*\} 0$/m);
  expect(text).toMatch(/^faultline_feed_up\{feed="OTLP receiver"\} 1$/m);
  expect(text).toMatch(
    /^faultline_hypothesis_probability\{incident="inc_\w+",service="llama-70b",rank="1",type="voltage_sag",subject="pdu:PDU-B-rack-22"\} 0\.\d+$/m,
  );
  await until(() =>
    got.some(({ path, body }) => path === '/v1/traces' && body.includes('voltage_sag on PDU-B-rack-22')),
  );
  const brake = got.flatMap(({ body }) => /\{"name":"gpu.throttle.brake".*?\]\}\}/.exec(body)?.[0] ?? []).at(-1);
  expect(JSON.parse(brake ?? 'null')).toMatchObject({
    unit: 's',
    sum: { isMonotonic: true, dataPoints: [{ startTimeUnixNano: '1773453600000000000', asDouble: 10 }] },
  });
  const state = got
    .flatMap(({ body }) => /\{"name":"gpu.throttle.thermal_active".*?\]\}\]\}\}/.exec(body)?.[0] ?? [])
    .at(-1);
  expect(JSON.parse(state ?? 'null')).toMatchObject({
    unit: '1',
    gauge: { dataPoints: [{ timeUnixNano: '1773453620000000000', asDouble: 0 }] },
  });
  expect(new Set(got.map(({ token }) => token))).toEqual(new Set(['Bearer open sesame']));
  const before = got.length;
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(got.length, 'unchanged findings are not pushed again').toBe(before);
  stop.abort();
  await running;
  await expect(read()).rejects.toThrow();
  expect(JSON.stringify(newsEvents, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
    'sesame',
  );
});

test('an unreachable receiver ends nothing, is reported once, and gets all findings when it is back', async () => {
  const away = await receiver();
  await away.close();
  const core = await incidentCore();
  const stop = new AbortController();
  const reported: CaptureEvent[] = [];
  const states = () => reported.flatMap((event) => (event.kind === 'push' ? event.state : []));
  const plan = `feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]\npush: {otlp: {url: "${away.url}", every_s: 1}}`;
  const running = (async () => {
    for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal })) reported.push(event);
  })();
  await until(() => states().includes('down'));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(states()).toEqual(['up', 'down']);
  expect(reported.find((event) => event.kind === 'push' && event.state === 'down')).toMatchObject({
    reason: expect.stringMatching(/nothing could be sent to .*: nothing listens there/),
  });
  const back = await receiver(Number(new URL(away.url).port));
  await until(() => states().length === 3);
  expect(back.got.map(({ path }) => path)).toEqual(['/v1/traces', '/v1/logs', '/v1/metrics']);
  stop.abort();
  await running;
  expect(reported.at(-1)?.kind).toBe('ended');
});

test('records that a receiver rejects are reported during the capture, in one line', async () => {
  const partial = { rejectedSpans: '3', errorMessage: 'too old\n\u001b[2Jup' };
  const { url, got } = await receiver(0, JSON.stringify({ partialSuccess: partial }));
  const core = await incidentCore();
  const stop = new AbortController();
  const reported: string[] = [];
  const plan = `feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]\npush: {otlp: {url: "${url}", every_s: 1}}`;
  const running = (async () => {
    for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal }))
      if (event.kind === 'push') reported.push(`${event.state}: ${event.reason}`);
  })();
  await until(() => reported.length === 2);
  const sent = got.length;
  await new Promise((resolve) => setTimeout(resolve, 3000));
  stop.abort();
  await running;
  expect(got.length, 'it is not sent again').toBe(sent);
  expect(reported).toEqual([
    `up: ${url}`,
    expect.stringMatching(/^up: traces: 3 records were rejected: too old \[2Jup; /),
  ]);
});

test('a page whose port is in use ends nothing: it is down with its reason, and opens once the port is free', async () => {
  const taken = await receiver();
  const core = await openTestCore(undefined, { feeds });
  const stop = new AbortController();
  const reported: CaptureEvent[] = [];
  const pushes = () => reported.flatMap((event) => (event.kind === 'push' ? [event] : []));
  const { port } = new URL(taken.url);
  const plan = `feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]
push:
  otlp: {url: "${taken.url}", headers: {authorization: env:NO_SUCH_TOKEN_OF_TEST}}
  prometheus: {listen: "127.0.0.1:${port}", every_s: 1}`;
  const running = (async () => {
    for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal })) reported.push(event);
  })();
  await until(() => reported.some((event) => event.kind === 'feed' && event.state === 'up'));
  expect(pushes().map(({ push, state, reason }) => [push, state, reason])).toEqual([
    ['OTLP push', 'down', expect.stringContaining('NO_SUCH_TOKEN_OF_TEST')],
    ['Prometheus page', 'down', expect.stringContaining('EADDRINUSE')],
  ]);
  await taken.close();
  await until(() => pushes().some(({ push, state }) => push === 'Prometheus page' && state === 'up'));
  const page = `http://127.0.0.1:${port}/metrics`;
  await until(async () => (await (await fetch(page)).text()).includes('faultline_feed_up'));
  expect(pushes().filter(({ state }) => state === 'down')).toHaveLength(2);
  stop.abort();
  await running;
  expect(reported.at(-1)?.kind).toBe('ended');
});

test("a receiver's address must not contain a password, and the message does not repeat it", async () => {
  const plan = 'feeds: [{kind: rapl}]\npush: {otlp: {url: "http://me:sesame@127.0.0.1:4318"}}';
  const refused = await feeds.open(plan).catch((error: unknown) => String(error));
  expect(refused).toMatch(/push\.otlp\.url: must not contain a password/);
  expect(refused).not.toMatch(/sesame/);
});

test("a window's plan may not push, and errors have their place", async () => {
  const plan = 'feeds: [{kind: rapl}]\npush: {otlp: {url: "http://127.0.0.1:4318"}}';
  await expect(createFeeds(false).open(plan)).rejects.toThrow(/push: only a plan that is run from the command line/);
  expect(createFeeds(false).readPlan(plan).problems).toHaveLength(1);
  await expect(feeds.open(plan)).resolves.toHaveLength(1);
  await expect(feeds.open('feeds: [{kind: rapl}]\npush: {otlp: {url: "collector:4318"}}')).rejects.toThrow(
    /push\.otlp\.url/,
  );
  await expect(
    feeds.open('feeds: [{kind: rapl}]\npush: {otlp: {url: "http://a", headers: {authorization: sesame}}}'),
  ).rejects.toThrow(/must name where the secret is/);
});
