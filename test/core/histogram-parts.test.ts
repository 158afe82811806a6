import { expect, test } from 'vitest';
import { findImpacts } from '../../src/core/analysis/impact/impact.ts';
import { readMeasurements } from '../../src/core/analysis/impact/measurements.ts';
import { readParts, withParts } from '../../src/core/analysis/impact/part-impacts.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';
import { atSecond, softwareCase } from '../support/software-case.ts';

const BOUNDS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4];
const INTERVAL_S = 15;
const options = correlateOptionsSchema.parse({});

interface Part {
  readonly labels: object;
  /** Requests in each interval. */
  readonly requests: number;
  /** Bucket of an interval. */
  readonly bucket: (interval: number) => number;
}

/** An hour of cumulative histograms of one service. */
async function impactsOf(metric: string, parts: readonly Part[]) {
  const reader = await softwareCase(({ builder }) => {
    const entity = builder.entity('service', 'api');
    for (const { labels, requests, bucket } of parts) {
      const series = builder.series({
        ...{ metric, kind: 'histogram', entity, resource: -1, unit: 's', description: '' },
        ...{ temporality: 2, monotonic: true, attributes: JSON.stringify(labels) },
      });
      const counts = Array.from({ length: BOUNDS.length + 1 }, () => 0);
      for (let i = 0; i <= 240; i++) {
        if (i > 0) counts[bucket(i)]! += requests;
        builder.table('distribution').push({
          ...{ series, start_ns: 0n, time_ns: atSecond(INTERVAL_S * i), count: i * requests, sum: Number.NaN },
          ...{ min: Number.NaN, max: Number.NaN, detail: JSON.stringify({ bounds: BOUNDS, counts }) },
        });
      }
    }
  });
  const whole = [...(await readMeasurements(reader)).values()].flatMap((one) => findImpacts(one, options));
  return withParts(whole, await readParts(reader), options);
}

const calm = () => 1;
const slowFor = (from: number, until: number) => (interval: number) => (interval >= from && interval < until ? 5 : 1);

test.each([
  ['http.server.request.duration', 'http.route', 'route'],
  ['http_request_duration_seconds', 'handler', 'route'],
  ['gen_ai.server.request.duration', 'gen_ai.request.model', 'model'],
  ['http.server.request.duration', 'tenant_id', 'tenant'],
  ['http_server_request_duration_seconds', 'pod', 'replica'],
])('%s by %s: one slow %s of a fiftieth of the requests is its impact', async (metric, label, kind) => {
  const windows = await impactsOf(metric, [
    { labels: { [label]: 'large' }, requests: 100, bucket: calm },
    { labels: { [label]: 'other' }, requests: 50, bucket: calm },
    { labels: { [label]: 'small' }, requests: 3, bucket: slowFor(160, 190) },
  ]);
  expect(windows.map(({ parts }) => parts)).toEqual([[{ kind, name: 'small' }]]);
  const [window] = windows;
  expect(Number(window!.onset_ns - atSecond(160 * INTERVAL_S)) / 1e9).toBeGreaterThanOrEqual(-60);
  expect(Number(window!.onset_ns - atSecond(160 * INTERVAL_S)) / 1e9).toBeLessThanOrEqual(60);
});

test('where all parts are slow, and where there is one part, the impact is of the service', async () => {
  const slow = slowFor(160, 190);
  const of = (route: string, requests: number, bucket: Part['bucket']) => ({
    labels: { 'http.route': route },
    requests,
    bucket,
  });
  const metric = 'http.server.request.duration';
  const all = await impactsOf(metric, [of('/a', 100, slow), of('/b', 20, slow), of('/c', 3, slow)]);
  expect(all.map(({ parts }) => parts)).toEqual([[]]);
  const one = await impactsOf(metric, [of('/a', 100, slow)]);
  expect(one.map(({ parts }) => parts)).toEqual([[]]);
});

test('parts that do as before have no impact', async () => {
  const labels = ['/a', '/b', '/c'].map((route) => ({ 'http.route': route }));
  const parts = labels.map((one, i) => ({ labels: one, requests: [100, 10, 4][i]!, bucket: calm }));
  expect(await impactsOf('http.server.request.duration', parts)).toEqual([]);
});
