import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMeasurements } from '../../src/core/analysis/impact/measurements.ts';
import type { Reader } from '../../src/core/store/facts/reader.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { atSecond, softwareCase } from '../support/software-case.ts';

const SECONDS = 1200;

/** One record a second of the attributes that `of` gives; the service is down from minute 12 to 14, its log goes on. */
const logged = (of: (second: number) => object | undefined): Promise<Reader> =>
  softwareCase(({ builder }) => {
    const entity = builder.entity('service', 'api');
    const resource = builder.resource({ entity, attributes: '{"service.name":"api"}', schema_url: '' });
    for (let second = 0; second < SECONDS; second++) {
      const attributes = of(second);
      builder.table('log').push({
        ...{
          time_ns: atSecond(second),
          observed_ns: 0n,
          severity: 9,
          severity_text: -1,
          event_name: -1,
          resource,
          scope: -1,
        },
        ...{ trace_hi: 0n, trace_lo: 0n, span_id: 0n, flags: 0, dropped: 0, body: 'a line' },
        attributes: attributes === undefined ? '' : JSON.stringify(attributes),
      });
    }
  });

/** Median (ms) and error rate at minute 5, throughput at minute 13. */
async function figures(reader: Reader) {
  const [measured] = [...(await readMeasurements(reader)).values()];
  if (!measured) return undefined;
  const at = (minute: number) => measured.time_ns.indexOf(atSecond(minute * 60));
  const known = (value: number | undefined) => (Number.isNaN(value) ? null : value);
  return [measured.from, known(measured.p50[at(5)]), known(measured.error_rate[at(5)]), measured.throughput[at(13)]];
}

test.each<readonly [string, object, readonly unknown[]]>([
  ['OpenTelemetry', { 'http.response.status_code': 200, 'http.server.request.duration': 0.25 }, ['logs', 250, 0, 1]],
  ['ECS', { http: { response: { status_code: 503 } }, 'event.duration': 250_000_000 }, ['logs', 250, 100, 1]],
  ['Envoy as JSON', { response_code: 200, response_flags: '-', duration: 250 }, ['logs', 250, 0, 1]],
  ['nginx as JSON', { status: '502', request_method: 'GET', request_time: '0.250' }, ['logs', 250, 100, 1]],
  ['Traefik', { DownstreamStatus: 404, Duration: 250_000_000 }, ['logs', 250, 0, 1]],
  ['a duration with its unit', { status: 200, method: 'GET', latency: '250ms' }, ['logs', 250, 0, 1]],
  ['microseconds with a sign', { status: 200, path: '/', duration: '250.5µs' }, ['logs', 0.2505, 0, 1]],
  ['pino', { req: { method: 'GET' }, res: { statusCode: 500 }, responseTime: 250 }, ['logs', 250, 100, 1]],
  ['gRPC', { 'grpc.code': 'Unavailable', 'grpc.time_ms': 250 }, ['logs', 250, 100, 1]],
  ['a duration of unknown unit', { status: 200, path: '/', duration: 250 }, ['logs', null, 0, 1]],
])('a service is measured by its log of requests: %s', async (_, attributes, expected) => {
  expect(await figures(await logged(() => attributes))).toEqual(expected);
});

test.each<readonly [string, object]>([
  ['the status of something else', { status: 200 }],
  ['the status of a disk', { 'disk.status': 'ok' }],
  ['what the service asked of others', { 'grpc.code': 'OK', 'span.kind': 'client' }],
])('no requests are %s', async (_, attributes) => {
  expect(await figures(await logged(() => attributes))).toBeUndefined();
});

test('a log that goes on without requests shows that there are none', async () => {
  const down = (second: number) => second >= 700 && second < 800;
  const reader = await logged((second) => (down(second) ? undefined : { 'http.response.status_code': 200 }));
  expect(await figures(reader)).toEqual(['logs', null, 0, 0]);
});

/** A service that answers ten requests a second and is five times slower from minute 20 to 25. */
function* requests(): Generator<{ readonly at: Date; readonly ms: number; readonly status: number }> {
  for (let i = 0; i < 18_000; i++) {
    const isSlow = i >= 12_000 && i < 15_000;
    const ms = 40 + ((i * 37) % 60);
    yield {
      at: new Date(Date.UTC(2026, 4, 1, 14) + i * 100),
      ms: isSlow ? ms * 5 : ms,
      status: i % 500 === 7 ? 404 : 200,
    };
  }
}

test.each([
  [
    'checkout.jsonl',
    ({ at, ms, status }: { readonly at: Date; readonly ms: number; readonly status: number }) =>
      JSON.stringify({
        time: at.toISOString(),
        level: 'INFO',
        msg: 'request completed',
        status,
        method: 'GET',
        duration_ms: ms,
      }),
  ],
  [
    'checkout.log',
    ({ at, ms, status }: { readonly at: Date; readonly ms: number; readonly status: number }) =>
      `[${at.toISOString()}] "GET /v1/items/7 HTTP/1.1" ${status} - 0 512 ${ms} ${ms - 1} "-" "Go-http-client/1.1" "7a31" "checkout" "10.0.0.9:8080"`,
  ],
])('an incident that only %s measures is found', async (name, line) => {
  const file = join(await temporaryFolder(), name);
  await writeFile(file, [...requests()].map(line).join('\n'));
  const core = await openTestCore(undefined, { inMemory: true });
  await core.import([file]);
  const found = await core.api['incidents.list']({});
  expect(found.map(({ service }) => service)).toEqual(['checkout']);
});
