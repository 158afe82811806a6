import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createFeeds, feeds } from '../../src/main/capture/index.ts';
import type { CaptureEvent } from '../../src/model/contract/index.ts';
import { openTestCore, type TestCore } from '../support/core.ts';
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
async function incidentCore(files = ['events', 'topology', 'traces']): Promise<TestCore> {
  const core = await openTestCore(undefined, { feeds });
  const folder = join(import.meta.dirname, '../../fixtures/incidents/pdu-sag');
  await core.import(files.map((name) => join(folder, `${name}.json`)));
  return core;
}

const START_S = 1_768_046_400n;
const nanoseconds = (second: number): bigint => START_S * 1_000_000_000n + BigInt(Math.round(second * 1e9));

/** Fifteen minutes of requests from 12:00 on, OTLP/JSON: slow in the two minutes after the sag. */
function requests(): string {
  const spans = Array.from({ length: 900 }, (_, second) => ({
    traceId: second.toString(16).padStart(32, '1'),
    spanId: second.toString(16).padStart(16, '1'),
    name: 'POST /v1/completions',
    kind: 2,
    startTimeUnixNano: String(nanoseconds(second)),
    endTimeUnixNano: String(nanoseconds(second + (second >= 700 && second < 810 ? 2 : 0.2 + (second % 7) / 100))),
  }));
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'inference' } }] };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
}

/** Runs a plan; also a test that fails ends its capture. */
function capture(core: TestCore, plan: string, take: (event: CaptureEvent) => void): () => Promise<void> {
  const stop = new AbortController();
  const running = (async () => {
    for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal })) take(event);
  })();
  const end = async () => {
    stop.abort();
    await running;
  };
  onTestFinished(end);
  return end;
}

async function until(isReached: () => boolean | Promise<boolean>): Promise<void> {
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  while (!(isOver || (await isReached()))) await new Promise((resolve) => setTimeout(resolve, 200));
}

const reasons = (second: number, mask: number) => ({
  timeUnixNano: String(nanoseconds(second)),
  asInt: String(mask),
});

test('a running capture pushes its findings to an OTLP receiver and to its Prometheus page', async () => {
  process.env.PUSH_TOKEN_OF_TEST = 'Bearer open sesame';
  const { got, url } = await receiver();
  const core = await incidentCore(['events', 'topology']);
  const newsEvents: CaptureEvent[] = [];
  const plan = `feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]
push:
  otlp: {url: "${url}", headers: {authorization: env:PUSH_TOKEN_OF_TEST}, every_s: 1}
  prometheus: {listen: "127.0.0.1:0", every_s: 1}`;
  const stop = capture(core, plan, (event) => newsEvents.push(event));
  const statesOf = (name: string) =>
    newsEvents.flatMap((event) => {
      if (event.kind === 'push' && event.push === name) return event.reason;
      return event.kind === 'feed' && event.feed === name ? event.about : [];
    })[0] ?? '';
  await until(() => statesOf('Prometheus page') !== '' && statesOf('OTLP receiver') !== '');
  const page = statesOf('Prometheus page');
  const into = `http://${/http (127\.0\.0\.1:\d+)/.exec(statesOf('OTLP receiver'))?.[1]}/v1`;
  const post = (signal: string, body: string) => postOtlp(`${into}/${signal}`, body);
  await post('traces', requests());
  const resource = {
    attributes: [
      { key: 'faultline.entity.kind', value: { stringValue: 'gpu' } },
      { key: 'faultline.entity.id', value: { stringValue: 'GPU-A' } },
    ],
  };
  const dataPoints = [reasons(0, 0), reasons(5, 0x80), reasons(10, 0x80), reasons(15, 4), reasons(20, 0)];
  const metrics = [{ name: 'hw.gpu.clocks_event_reasons', unit: '1', gauge: { dataPoints } }];
  await post('metrics', JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] }));

  const read = async () => (await fetch(page)).text();
  await until(
    async () => /faultline_incidents 1\n/.test(await read()) && (await read()).includes('gpu_throttle_brake'),
  );
  const text = await read();
  expect(text).toMatch(
    /^# TYPE gpu_throttle_brake_seconds_total counter\ngpu_throttle_brake_seconds_total\{gpu="GPU-aaaa-1111"\} 10$/m,
  );
  expect(text).toMatch(/^gpu_throttle_power_seconds_total\{gpu="GPU-aaaa-1111"\} 5$/m);
  expect(text).toMatch(/^# TYPE gpu_throttle_hw_active gauge\ngpu_throttle_hw_active\{gpu="GPU-aaaa-1111".*\} 0$/m);
  expect(text).toMatch(/^gpu_throttle_power_active\{gpu="GPU-aaaa-1111".*\} 0$/m);
  expect(text).toMatch(/^faultline_feed_up\{feed="OTLP receiver"\} 1$/m);
  expect(text).toMatch(
    /^faultline_hypothesis_probability\{incident="inc_\w+",service="inference",rank="1",type="voltage_sag",subject="pdu:PDU-B"\} 0\.\d+$/m,
  );
  await until(() => got.some(({ path, body }) => path === '/v1/traces' && body.includes('voltage_sag on PDU-B')));
  const brake = got.flatMap(({ body }) => /\{"name":"gpu.throttle.brake".*?\]\}\}/.exec(body)?.[0] ?? []).at(-1);
  expect(JSON.parse(brake ?? 'null')).toMatchObject({
    unit: 's',
    sum: { isMonotonic: true, dataPoints: [{ startTimeUnixNano: String(nanoseconds(0)), asDouble: 10 }] },
  });
  const state = got
    .flatMap(({ body }) => /\{"name":"gpu.throttle.thermal_active".*?\]\}\]\}\}/.exec(body)?.[0] ?? [])
    .at(-1);
  expect(JSON.parse(state ?? 'null')).toMatchObject({
    unit: '1',
    gauge: { dataPoints: [{ timeUnixNano: String(nanoseconds(20)), asDouble: 0 }] },
  });
  expect(new Set(got.map(({ token }) => token))).toEqual(new Set(['Bearer open sesame']));
  const before = got.length;
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(got.length, 'unchanged findings are not pushed again').toBe(before);
  await stop();
  await expect(read()).rejects.toThrow();
  expect(JSON.stringify(newsEvents, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
    'sesame',
  );
});

test('an unreachable receiver ends nothing, is reported once, and gets all findings when it is back', async () => {
  const away = await receiver();
  await away.close();
  const core = await incidentCore();
  const reported: CaptureEvent[] = [];
  const states = () => reported.flatMap((event) => (event.kind === 'push' ? event.state : []));
  const plan = `feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]\npush: {otlp: {url: "${away.url}", every_s: 1}}`;
  const stop = capture(core, plan, (event) => reported.push(event));
  await until(() => states().includes('down'));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(states()).toEqual(['up', 'down']);
  expect(reported.find((event) => event.kind === 'push' && event.state === 'down')).toMatchObject({
    reason: expect.stringMatching(/nothing could be sent to .*: nothing listens there/),
  });
  const back = await receiver(Number(new URL(away.url).port));
  await until(() => states().length === 3);
  expect(back.got.map(({ path }) => path)).toEqual(['/v1/traces', '/v1/logs', '/v1/metrics']);
  await stop();
  expect(reported.at(-1)?.kind).toBe('ended');
});

test('records that a receiver rejects are reported during the capture, in one line', async () => {
  const partial = { rejectedSpans: '3', errorMessage: 'too old\n\u001b[2Jup' };
  const { url, got } = await receiver(0, JSON.stringify({ partialSuccess: partial }));
  const core = await incidentCore();
  const reported: string[] = [];
  const plan = `feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]\npush: {otlp: {url: "${url}", every_s: 1}}`;
  const stop = capture(core, plan, (event) => {
    if (event.kind === 'push') reported.push(`${event.state}: ${event.reason}`);
  });
  await until(() => reported.length === 2);
  const sent = got.length;
  await new Promise((resolve) => setTimeout(resolve, 3000));
  await stop();
  expect(got.length, 'it is not sent again').toBe(sent);
  expect(reported).toEqual([
    `up: ${url}`,
    expect.stringMatching(/^up: traces: 3 records were rejected: too old \[2Jup; /),
  ]);
});

test('a page whose port is in use ends nothing: it is down with its reason, and opens once the port is free', async () => {
  const taken = await receiver();
  const core = await openTestCore(undefined, { feeds });
  const reported: CaptureEvent[] = [];
  const pushes = () => reported.flatMap((event) => (event.kind === 'push' ? [event] : []));
  const { port } = new URL(taken.url);
  const plan = `feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]
push:
  otlp: {url: "${taken.url}", headers: {authorization: env:NO_SUCH_TOKEN_OF_TEST}}
  prometheus: {listen: "127.0.0.1:${port}", every_s: 1}`;
  const stop = capture(core, plan, (event) => reported.push(event));
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
  await stop();
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
