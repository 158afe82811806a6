import { expect, test } from 'vitest';
import { findDifferences } from '../../src/core/analysis/differences/find-differences.ts';
import { readLogIndex } from '../../src/core/analysis/logs/log-index.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import type { Baseline } from '../../src/model/contract/differences.ts';
import type { SeriesKind } from '../../src/model/rows/rows.ts';
import { memoryCore } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';
import { atSecond, every, numbersFrom, recordedCase } from '../support/software-case.ts';

const BOUNDS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2];
const REGION = [600, 800] as const;

interface Recorded {
  readonly kind?: SeriesKind;
  readonly isCumulative?: boolean;
  /** Requests of ten seconds per bucket. */
  readonly counts: (second: number, random: () => number) => readonly number[];
  readonly hasSum?: boolean;
}

const caseOf = ({ kind = 'histogram', isCumulative = true, counts, hasSum = false }: Recorded) =>
  recordedCase(({ builder }) => {
    const random = numbersFrom(5);
    const series = builder.series({
      metric: 'took',
      kind,
      entity: builder.entity('service', 'chat'),
      resource: -1,
      unit: 's',
      description: '',
      temporality: isCumulative ? 2 : 1,
      monotonic: false,
      attributes: '{"model":"m"}',
    });
    let all = BOUNDS.map(() => 0).concat(0);
    for (const second of every(10, 0, 2000)) {
      const own = counts(second, random);
      all = isCumulative ? all.map((count, i) => count + own[i]!) : [...own];
      const count = all.reduce((sum, one) => sum + one, 0);
      const detail =
        kind === 'summary'
          ? {
              quantiles: [
                [0.5, own[0]],
                [0.99, own[1]],
              ],
            }
          : { bounds: BOUNDS, counts: all };
      builder.table('distribution').push({
        series,
        start_ns: 0n,
        time_ns: atSecond(second),
        count,
        sum: hasSum ? count * 0.2 : Number.NaN,
        min: Number.NaN,
        max: Number.NaN,
        detail: JSON.stringify(detail),
      });
    }
  });

async function differ(recorded: Recorded, baseline: Baseline = { kind: 'rest' }, [from, to] = REGION) {
  const session = await caseOf(recorded);
  const region = { start_ns: atSecond(from), end_ns: atSecond(to), entities: [], duration_ms: null, span_name: null };
  const { differences } = await findDifferences(createReader(session), { region, baseline }, () =>
    readLogIndex(createReader(session)),
  );
  return differences.map(({ attribute, region: inside, baseline: outside, also }) => ({
    attribute,
    values: [outside.value, inside.value].map((value) => Number(value.toFixed(2))),
    also,
  }));
}

const within = (second: number): boolean => second >= REGION[0] && second < REGION[1];
/** One request in twenty moves from 0.4 s to over 1.6 s. */
const tail = (second: number, random: () => number): number[] => {
  const noise = (): number => Math.floor(random() * 5);
  return within(second)
    ? [60 + noise(), 100, 30 + noise(), 0, 0, 10, 0]
    : [60 + noise(), 100, 40 + noise(), 0, 0, 0, 0];
};

test.each([true, false])('a quantile that moves while the median stays, cumulative: %s', async (isCumulative) => {
  const [first, ...others] = await differ({ isCumulative, counts: tail });
  expect(first).toMatchObject({ attribute: 'took, p99', also: expect.arrayContaining([]) });
  expect(first?.values[0]).toBeCloseTo(0.39, 1);
  expect(first?.values[1]).toBeGreaterThan(2);
  expect([...first!.also, ...others.map(({ attribute }) => attribute)].join()).not.toMatch(/mean|per second/);
});

test('quantiles and mean of one histogram are one row, the clearest reading first', async () => {
  const rows = await differ({
    hasSum: true,
    counts: (second) => (within(second) ? [0, 0, 0, 50, 50, 0, 0] : [50, 50, 0, 0, 0, 0, 0]),
  });
  expect(rows).toEqual([
    { attribute: 'took, p99', values: [0.2, 1.58], also: ['took, p95 chat (model=m)', 'took, p50 chat (model=m)'] },
  ]);
});

test('a summary is compared by the quantiles that it states', async () => {
  const rows = await differ({
    kind: 'summary',
    counts: (second, random) => [0.1 + random() / 100, within(second) ? 9 : 1 + random() / 10, 0, 0, 0, 0, 0],
  });
  expect(rows.map(({ attribute, values }) => [attribute, values[1]])).toEqual([['took, p99', 9]]);
});

test.each<readonly [string, Recorded['counts']]>([
  [
    'more requests of the same kind',
    (second, random) =>
      [60, 100, 40].map((n) => (within(second) ? 3 : 1) * n + Math.floor(random() * 5)).concat(0, 0, 0, 0),
  ],
  ['steady', (_, random) => [60, 100, 40].map((n) => n + Math.floor(random() * 5)).concat(0, 0, 0, 0)],
  ['nothing collected', () => [0, 0, 0, 0, 0, 0, 0]],
])('no difference: %s', async (_, counts) => {
  expect(await differ({ counts })).toEqual([]);
});

test('the quantile of a recorded service is listed with its values', async () => {
  const core = await memoryCore();
  await core.import([sharedData('defects/histograms/http.prom')]);
  const region = { start_ns: 1_777_644_900_000_000_000n, end_ns: 1_777_645_080_000_000_000n };
  const { differences } = await core.api['differences.find']({ region, baseline: { kind: 'rest' } });
  const took = differences.filter(({ attribute }) => attribute.startsWith('http_server_request_duration_seconds'));
  expect(took).toHaveLength(1);
  expect(took[0]).toMatchObject({ attribute: expect.stringMatching(/, p9[59]$/), unit: 's', effect: 1 });
  expect(took[0]!.region.value / took[0]!.baseline.value).toBeGreaterThan(2);
});
