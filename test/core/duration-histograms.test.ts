import { expect, test } from 'vitest';
import { readMeasurements } from '../../src/core/analysis/impact/measurements.ts';
import type { Reader } from '../../src/core/store/facts/reader.ts';
import { prometheus } from '../../src/main/sources/prometheus/index.ts';
import { isServedDuration } from '../../src/model/telemetry/served-duration.ts';
import { readSource } from '../support/read-source.ts';
import { atSecond, softwareCase } from '../support/software-case.ts';

test.each([
  'http.server.request.duration',
  'istio_request_duration_milliseconds',
  'grpc_server_handling_seconds',
  'apiserver_request_duration_seconds',
  'training_step_duration_seconds',
  'train.iteration.time',
])('%s is how long something served or a step took', (name) => {
  expect(isServedDuration(name)).toBe(true);
});

test.each([
  'http.client.request.duration',
  'http_request_size_bytes',
  'request_queue_duration_seconds',
  'gen_ai.server.time_per_output_token',
  'data_load_step_seconds',
  'gc_pause_seconds',
])('%s is not', (name) => {
  expect(isServedDuration(name)).toBe(false);
});

interface Histogram {
  readonly metric: string;
  readonly unit?: string;
  readonly labels?: object;
  /** Requests of 15 s, half of which take 0.1 to 0.2 and half 0.2 to 0.4 of the unit. */
  readonly requests: number;
}

const caseOf = (histograms: readonly Histogram[]): Promise<Reader> =>
  softwareCase(({ builder }) => {
    const entity = builder.entity('service', 'api');
    for (const { metric, unit = 's', labels = {}, requests } of histograms) {
      const series = builder.series({
        ...{ metric, kind: 'histogram', entity, resource: -1, unit, description: '' },
        ...{ temporality: 2, monotonic: true, attributes: JSON.stringify(labels) },
      });
      for (let i = 0; i <= 40; i++)
        builder.table('distribution').push({
          ...{ series, start_ns: 0n, time_ns: atSecond(15 * i), count: i * requests, sum: Number.NaN },
          ...{ min: Number.NaN, max: Number.NaN },
          detail: JSON.stringify({ bounds: [0.1, 0.2, 0.4], counts: [0, (i * requests) / 2, (i * requests) / 2, 0] }),
        });
    }
  });

async function figures(histograms: readonly Histogram[]) {
  const [measured] = [...(await readMeasurements(await caseOf(histograms))).values()];
  if (!measured) return undefined;
  const { time_ns, p50, throughput, error_rate } = measured;
  const step_s = Number(time_ns[6]! - time_ns[5]!) / 1e9;
  return [Math.round(p50[5]!), Number(throughput[5]!.toFixed(3)), error_rate[5], step_s];
}

test.each<readonly [string, readonly Histogram[], readonly number[] | undefined]>([
  ['of any name', [{ metric: 'checkout_request_duration_seconds', requests: 60 }], [200, 4, 0, 15]],
  ['in milliseconds', [{ metric: 'istio_request_duration', unit: 'ms', requests: 60 }], [0, 4, 0, 15]],
  ['of failures', [{ metric: 'api_request_latency', labels: { code: '503' }, requests: 60 }], [200, 4, 100, 15]],
  ['with few requests, which are joined', [{ metric: 'rpc_latency', requests: 6 }], [200, 0.4, 0, 60]],
  [
    'in two places, of which one counts',
    [
      { metric: 'a_request_time', requests: 60 },
      { metric: 'b_request_time', requests: 30 },
    ],
    [200, 4, 0, 15],
  ],
  ['without a unit', [{ metric: 'rpc_latency', unit: '', requests: 60 }], undefined],
  ['of a caller', [{ metric: 'rpc_latency', labels: { reporter: 'source' }, requests: 60 }], undefined],
])('a service is measured by a histogram %s', async (_, histograms, expected) => {
  expect(await figures(histograms)).toEqual(expected);
});

test('a histogram that a replica exports is about the service that its labels name', async () => {
  const labels = (le: string) =>
    `{service="api",job="pods",pod="api-0",namespace="prod",instance="10.0.0.1:80",le="${le}"}`;
  const lines = ['# TYPE http_server_request_duration_seconds histogram'];
  for (let i = 0; i <= 20; i++)
    for (const le of ['0.1', '+Inf'])
      lines.push(
        `http_server_request_duration_seconds_bucket${labels(le)} ${i * 100} ${1_767_225_600_000 + i * 15_000}`,
      );
  const { rows } = await readSource(prometheus, `${lines.join('\n')}\n`, { name: 'api.prom' });
  expect(rows.distribution.length).toBeGreaterThan(0);
  for (const { series } of rows.distribution)
    expect(JSON.parse(String(series))).toMatchObject({ entity: 'service:api' });
});

test.each(['histogram', 'sum'] as const)(
  'requests of an export that was lost are not missing, by a %s',
  async (kind) => {
    const reader = await softwareCase(({ builder }) => {
      const entity = builder.entity('service', 'api');
      for (const replica of ['a', 'b']) {
        const metric = kind === 'histogram' ? 'http.server.request.duration' : 'http_requests_total';
        const series = builder.series({
          ...{ metric, kind, entity, resource: -1, unit: kind === 'histogram' ? 's' : '', description: '' },
          ...{ temporality: 2, monotonic: true, attributes: JSON.stringify({ replica, code: '200' }) },
        });
        for (let i = 0; i <= 40; i++) {
          if (replica === 'b' && i === 20) continue;
          const at = { series, time_ns: atSecond(15 * i) };
          const detail = JSON.stringify({ bounds: [0.1], counts: [60 * i, 0] });
          if (kind === 'sum') builder.table('point').push({ ...at, value: 60 * i, start_ns: 0n });
          else
            builder.table('distribution').push({
              ...at,
              ...{ start_ns: 0n, count: 60 * i, sum: Number.NaN, min: Number.NaN, max: Number.NaN, detail },
            });
        }
      }
    });
    const [measured] = [...(await readMeasurements(reader)).values()];
    const rates = [...measured!.throughput]
      .filter((rate) => !Number.isNaN(rate))
      .map((rate) => Number(rate.toFixed(3)));
    expect(rates.length).toBeGreaterThan(30);
    expect(new Set(rates)).toEqual(new Set([8]));
  },
);
