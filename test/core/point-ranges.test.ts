import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';

const second = 1_000_000_000n;

/** One gauge of a server; each point is its time (ns) and value. */
const gauge = (name: string, points: readonly (readonly [bigint, number])[]) => ({
  resourceMetrics: [
    {
      resource: { attributes: [{ key: 'host.name', value: { stringValue: 'node-1' } }] },
      scopeMetrics: [
        {
          metrics: [
            {
              name,
              gauge: { dataPoints: points.map(([at, value]) => ({ timeUnixNano: String(at), asDouble: value })) },
            },
          ],
        },
      ],
    },
  ],
});
const steady = (from: bigint, count: number) =>
  Array.from({ length: count }, (_, i) => [from + BigInt(i) * second, i % 50] as const);

async function draw(points: readonly (readonly [bigint, number])[], buckets: number) {
  const core = await memoryCore();
  const events = await core.importJson(gauge('hw.power', points));
  expect(events.filter(({ kind }) => kind === 'problem')).toEqual([]);
  const lane = (await core.api['timeline.lanes']({ concluded: false })).find(({ metric }) => metric === 'hw.power');
  const times = points.map(([at]) => at);
  const [first, last] = [times.reduce((a, b) => (a < b ? a : b)), times.reduce((a, b) => (a > b ? a : b))];
  const window = { start_ns: first, end_ns: last, buckets, lanes: [lane?.id ?? ''] };
  const [data] = await core.api['timeline.data'](window);
  if (data?.kind !== 'metric') throw new Error(JSON.stringify(data));
  const seen = [...data.max].filter((value) => !Number.isNaN(value));
  const low = Math.min(...[...data.min].filter((value) => !Number.isNaN(value)));
  return { lane, low, high: Math.max(...seen), empty: buckets - seen.length };
}

test('a long window, drawn from slices, hides no spike; a short one is drawn from points with the same values', async () => {
  const points = steady(1_767_225_600n * second, 4000).map(([at, value], i) => [at, i === 1234 ? 900 : value] as const);
  const [long, short] = [await draw(points, 20), await draw(points, 8000)];
  expect([long.low, long.high]).toEqual([0, 900]);
  expect([short.low, short.high]).toEqual([0, 900]);
  expect(long.lane?.count).toBe(4000);
});

test('slices of up to two buckets leave none between them without its extent', async () => {
  const points = steady(1_767_225_600n * second, 4000).map(([at, value], i) => [at, i === 1234 ? 900 : value] as const);
  const seen = await draw(points, 800);
  expect([seen.low, seen.high, seen.empty]).toEqual([0, 900, 0]);
});

test('values that no float holds are drawn as they are', async () => {
  const points = [...steady(1_767_225_600n * second, 500), [1_767_227_000n * second, 1.7e308] as const];
  expect((await draw(points, 10)).high).toBe(1.7e308);
});

test('times at both ends of the range work', async () => {
  const points = [...steady(0n, 100), ...steady(9_223_372_000n * second, 100)];
  expect((await draw(points, 50)).high).toBe(49);
});
