import { expect, test } from 'vitest';
import { readRecordedLanes } from '../../src/core/api/lanes/lane-catalog.ts';
import { readLanes } from '../../src/core/api/lanes/lane-data.ts';
import { readStatistics } from '../../src/core/api/lanes/lane-statistics.ts';
import { rowsOf } from '../../src/core/store/case-file/case-file.ts';
import type { SeriesKind } from '../../src/model/rows/rows.ts';
import { atSecond, recordedCase } from '../support/software-case.ts';

interface Point {
  readonly second: number;
  readonly count: number;
  readonly sum: number;
  readonly detail: object;
  readonly start?: number;
}

const caseOf = (kind: SeriesKind, temporality: 0 | 1 | 2, points: readonly Point[]) =>
  recordedCase(({ builder }) => {
    const entity = builder.entity('service', 'chat');
    const series = builder.series({
      metric: 'took',
      kind,
      entity,
      resource: -1,
      unit: 's',
      description: '',
      temporality,
      monotonic: false,
      attributes: '',
    });
    for (const { second, count, sum, detail, start } of points)
      builder.table('distribution').push({
        series,
        start_ns: start === undefined ? 0n : atSecond(start),
        time_ns: atSecond(second),
        count,
        sum,
        min: Number.NaN,
        max: Number.NaN,
        detail: JSON.stringify(detail),
      });
  });

type Session = Awaited<ReturnType<typeof caseOf>>;
const viewed = async (session: Session) =>
  rowsOf<Record<string, number | null>>(
    await session.query('select count, mean, p50, p95, p99 from histograms order by time_ns'),
  ).map(({ count, mean, p50, p95, p99 }) =>
    [count, mean, p50, p95, p99].map((value) => (typeof value === 'number' ? Number(value.toFixed(9)) : value)),
  );

const buckets = (...counts: readonly (number | null)[]) => ({ bounds: [1, 2], counts });
const nothing = [null, null, null, null, null];

test('cumulative points become what was collected in between; a fall or a new start is a reset', async () => {
  const session = await caseOf('histogram', 2, [
    { second: 0, count: 10, sum: 10, detail: buckets(10, 0, 0) },
    { second: 10, count: 20, sum: 25, detail: buckets(10, 10, 0) },
    { second: 20, count: 4, sum: 2, detail: buckets(4, 0, 0) },
    { second: 30, count: 8, sum: 4, detail: buckets(8, 0, 0), start: 25 },
    { second: 40, count: 9, sum: 14, detail: buckets(8, 0, 1), start: 25 },
  ]);
  expect(await viewed(session)).toEqual([
    nothing,
    [10, 1.5, 1.5, 1.95, 1.99],
    [4, 0.5, 0.5, 0.95, 0.99],
    [8, 0.5, 0.5, 0.95, 0.99],
    [1, 10, 2, 2, 2],
  ]);
});

test('deltas are what they are; where the highest bucket is unknown there are no quantiles', async () => {
  const session = await caseOf('histogram', 1, [
    { second: 0, count: 4, sum: 2, detail: buckets(4, 0, 0) },
    { second: 10, count: Number.NaN, sum: Number.NaN, detail: buckets(4, 0, null) },
  ]);
  expect(await viewed(session)).toEqual([[4, 0.5, 0.5, 0.95, 0.99], nothing]);
});

test('an exponential histogram that becomes coarser goes on', async () => {
  const exponential = (scale: number, offset: number, counts: readonly number[]) => ({
    scale,
    zero_count: 0,
    zero_threshold: 0,
    positive: { offset, counts },
    negative: { offset: 0, counts: [] },
  });
  const session = await caseOf('exponential_histogram', 2, [
    { second: 0, count: 6, sum: 9, detail: exponential(0, 0, [4, 2]) },
    { second: 10, count: 10, sum: 49, detail: exponential(-1, 0, [6, 4]) },
  ]);
  // Buckets (1, 4] and (4, 16]: the six of before lie in the first.
  expect(await viewed(session)).toEqual([nothing, [4, 10, 10, 15.4, 15.88]]);
});

test('a summary has the quantiles that it states', async () => {
  const quantiles = [
    [0.5, 3],
    [0.99, 'NaN'],
  ];
  const session = await caseOf('summary', 0, [{ second: 0, count: 1, sum: 3, detail: { quantiles } }]);
  expect(await viewed(session)).toEqual([[null, null, 3, null, null]]);
  const { lanes } = await readRecordedLanes(session, { has: async () => false, add: async () => undefined });
  expect(lanes.map(({ metric }) => metric)).toEqual(['took p50', 'took p99']);
});

test('each quantile has a lane', async () => {
  const session = await caseOf('histogram', 2, [
    { second: 0, count: 10, sum: 10, detail: buckets(10, 0, 0) },
    { second: 10, count: 20, sum: 25, detail: buckets(10, 10, 0) },
    { second: 20, count: 24, sum: 27, detail: buckets(14, 10, 0) },
  ]);
  const catalog = await readRecordedLanes(session, { has: async () => false, add: async () => undefined });
  const ids = ['p50', 'p95', 'p99'].map((quantile) => `metric:service:chat:took ${quantile}`);
  expect(catalog.lanes.map(({ id, unit, count }) => [id, unit, count])).toEqual(ids.map((id) => [id, 's', 3]));
  const input = { start_ns: atSecond(0), end_ns: atSecond(40), buckets: 4, clocks: [], lanes: ids };
  const data = await readLanes({ withSession: (work) => work(session) }, catalog, input);
  expect(data.map((one) => one.kind === 'metric' && [...one.last])).toEqual([
    [Number.NaN, 1.5, 0.5, Number.NaN],
    [Number.NaN, 1.95, 0.95, Number.NaN],
    [Number.NaN, 1.99, 0.99, Number.NaN],
  ]);
  const [figures] = await readStatistics(session, catalog, input);
  expect(figures).toMatchObject({ count: 2, min: 0.5, max: 1.5, mean: 1 });
});
