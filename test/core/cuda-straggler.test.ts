import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';

const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
});
const START_S = 1_777_644_000;

interface Exported {
  readonly resource: Readonly<Record<string, string | number>>;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly operation: string;
  /** Operations of ten seconds and their mean in us. */
  readonly slices: readonly (readonly [operations: number, mean: number])[];
}

/** Cumulative histograms as Ingero's agent exports them, one resource a series. */
const otlp = (exported: readonly Exported[]) => ({
  resourceMetrics: exported.map(({ resource, attributes, operation, slices }) => {
    let [count, sum] = [0, 0];
    const dataPoints = slices.map(([operations, mean], at) => {
      count += operations;
      sum += operations * mean;
      return {
        startTimeUnixNano: `${START_S}000000000`,
        timeUnixNano: `${START_S + 10 * at}000000000`,
        count: String(count),
        sum,
        explicitBounds: [100, 10_000],
        bucketCounts: [String(count), '0', '0'],
        attributes: [
          attribute('cuda.operation', operation),
          attribute('source', 'cuda'),
          ...Object.entries(attributes).map(([key, value]) => attribute(key, value)),
        ],
      };
    });
    const metric = {
      name: 'gpu.cuda.operation.duration',
      unit: 'us',
      histogram: { aggregationTemporality: 2, dataPoints },
    };
    return {
      resource: { attributes: Object.entries(resource).map(([key, value]) => attribute(key, value)) },
      scopeMetrics: [{ scope: { name: 'ingero' }, metrics: [metric] }],
    };
  }),
});

type Mean = (slice: number) => readonly [number, number];
const node = (number: number) => ({ 'service.name': 'ingero', 'host.name': `gpu-node-${number}` });
const series = (own: Omit<Exported, 'slices' | 'operation'>, mean: Mean, operation = 'cudaLaunchKernel'): Exported => ({
  ...own,
  operation,
  slices: Array.from({ length: 60 }, (_, at) => mean(at)),
});
const usual: Mean = () => [5000, 20];
const slow: Mean = (at) => (at >= 20 && at < 32 ? [5000, 200] : [5000, 20]);
const eight = [0, 1, 2, 3, 4, 5, 6, 7];

async function found(exported: readonly Exported[]) {
  const core = await memoryCore();
  await core.importJson(otlp(exported));
  const { findings } = await core.api['patterns.list']({});
  for (const ref of findings.flatMap(({ evidence }) => evidence.flatMap(({ refs }) => refs)))
    expect((await core.api['evidence.get']({ ref })).ref).toBe(ref);
  return findings.map(({ headline, entities, evidence }) => ({
    headline,
    entities: entities.map(({ kind, id }) => `${kind}:${id}`),
    operations: evidence.length,
  }));
}

test('a host whose launches and copies take longer for two minutes is one finding', async () => {
  const exported = eight.flatMap((number) =>
    ['cudaLaunchKernel', 'cudaMemcpyAsync'].map((operation) =>
      series({ resource: node(number), attributes: {} }, number === 3 ? slow : usual, operation),
    ),
  );
  expect(await found(exported)).toEqual([
    {
      headline:
        'gpu-node-3 took 10 times as long as its 7 peers for cudaLaunchKernel for 2 min: 200 us each, not 20 us, 11 s longer in sum (9 %).',
      entities: ['server:gpu-node-3'],
      operations: 2,
    },
  ]);
});

test.each<readonly [string, (number: number) => Pick<Exported, 'resource' | 'attributes'>, string, string]>([
  [
    'ranks',
    (number) => ({ resource: { 'service.name': 'ingero', 'host.name': 'n0' }, attributes: { rank: number } }),
    'Rank 3 took',
    'server:n0',
  ],
  [
    'GPUs',
    (number) => ({ resource: node(0), attributes: { 'gpu.uuid': `GPU-0000000${number}-0000-0000-0000-000000000000` } }),
    'GPU-00000003-0000-0000-0000-000000000000 took',
    'gpu:GPU-00000003-0000-0000-0000-000000000000',
  ],
  [
    'processes',
    (number) => ({ resource: node(0), attributes: { pid: 100 + number } }),
    'gpu-node-0 pid 103 took',
    'server:gpu-node-0',
  ],
])('%s are separate members', async (_, place, headline, entity) => {
  const [one, ...others] = await found(eight.map((number) => series(place(number), number === 3 ? slow : usual)));
  expect(one?.headline).toMatch(new RegExp(`^${headline} 10 times as long`));
  expect([one?.entities, others]).toEqual([[entity], []]);
});

test('a rank that is slow from the beginning is found, a host with work of its own is not', async () => {
  const always: Mean = () => [5000, 200];
  const ranks = eight.map((number) =>
    series({ resource: node(number), attributes: { rank: number } }, number === 3 ? always : usual),
  );
  expect(await found(ranks)).toHaveLength(1);
  const hosts = eight.map((number) =>
    series({ resource: node(number), attributes: {} }, number === 3 ? always : usual),
  );
  expect(await found(hosts)).toEqual([]);
});

test.each<readonly [string, (number: number) => Mean]>([
  ['all take longer', () => slow],
  ['half of them take longer', (number) => (number % 2 === 0 ? slow : usual)],
  [
    'a host that does something else',
    (number) => (number === 3 ? (at) => (at >= 20 && at < 32 ? [100, 9000] : [5000, 20]) : usual),
  ],
  [
    'a loss that is not worth action',
    (number) => (number === 3 ? (at) => (at >= 20 && at < 32 ? [100, 200] : [100, 20]) : () => [100, 20]),
  ],
  ['a short time', (number) => (number === 3 ? (at) => (at >= 20 && at < 23 ? [5000, 200] : [5000, 20]) : usual)],
])('no straggler: %s', async (_, mean) => {
  expect(await found(eight.map((number) => series({ resource: node(number), attributes: {} }, mean(number))))).toEqual(
    [],
  );
});

test("a single node of Ingero's recording has no peers", async () => {
  const core = await memoryCore();
  await core.import([sharedData('defects/nccl-metrics/ingero-otlp.json.gz')]);
  const { findings } = await core.api['patterns.list']({});
  expect(findings.filter(({ pattern }) => pattern === 'cuda-straggler')).toEqual([]);
});
