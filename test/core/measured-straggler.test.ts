import { expect, test } from 'vitest';
import { measuredStragglers } from '../../src/core/analysis/patterns/training/measured-straggler.ts';
import { createReader, type StragglerSliceFact } from '../../src/core/store/facts/reader.ts';
import { memoryCore } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';
import { atSecond, recordedCase } from '../support/software-case.ts';

const MS = 1_000_000;

/** A last rank and the two waits in ms. */
type SliceRow = readonly [last: string, usual: number, least: number];
/** Ten-second slices of 8 ranks with 20 operations each. */
const slices = (rows: readonly SliceRow[]): StragglerSliceFact[] =>
  rows.map(([last_rank, usual, least], at) => ({
    group_id: 'g',
    group_name: 'dp',
    metric: 'nccl.collective.barrier_wait_ms',
    is_wait: true,
    slice: BigInt(at),
    slice_ns: 10_000_000_000n,
    ranks: 8,
    operations: 20,
    usual_ns: usual * MS,
    own_ns: least * MS,
    operation: '',
    is_longer: false,
    member: last_rank,
    rank: last_rank,
    gpu: '',
    host: '',
    usual_slices: 0,
    entity: 1,
    series_id: 1,
    sample_ns: BigInt(at) * 10_000_000_000n,
  }));
const repeated = <T>(times: number, one: T): T[] => Array.from({ length: times }, () => one);
const found = (...rows: readonly SliceRow[]) =>
  measuredStragglers(slices(rows)).map(({ first, start_ns, end_ns }) => [
    first.rank,
    Number(start_ns / 1_000_000_000n),
    Number(end_ns / 1_000_000_000n),
  ]);
const calm: SliceRow = ['5', 1.5, 1.4];

test('a rank that waits least for a while is found with its time', () => {
  expect(found(...repeated(30, calm), ...repeated(6, ['3', 160, 1.5] as const), ...repeated(30, calm))).toEqual([
    ['3', 300, 360],
  ]);
});

test('a short pause ends nothing, a long one does', () => {
  const late = repeated(6, ['3', 160, 1.5] as const);
  expect(found(...late, ...repeated(2, calm), ...late)).toEqual([['3', 0, 140]]);
  expect(found(...late, ...repeated(9, calm), ...late)).toEqual([
    ['3', 0, 60],
    ['3', 150, 210],
  ]);
});

test.each([
  ['waits that are too short', repeated(20, ['3', 8, 1] as const)],
  ['less than half of a difference', repeated(20, ['3', 160, 100] as const)],
  ['ranks that are last in turn', Array.from({ length: 24 }, (_, at) => [String(at % 8), 160, 1] as const)],
  ['four slices', [...repeated(9, calm), ...repeated(4, ['3', 160, 1] as const), ...repeated(9, calm)]],
])('no straggler: %s', (_, rows) => {
  expect(found(...rows)).toEqual([]);
});

/** Ranks, each in a process of its own, and their waits in s; what is exported every minute at the ranks' own times. */
async function lateSlices(
  temporality: 1 | 2,
  metric: string,
  unit: string,
  waits = [0.1, 0.1, 0.001, 0.1],
  minutes = 10,
) {
  const session = await recordedCase(({ builder }) => {
    for (const [rank, wait] of waits.entries()) {
      const series = builder.series({
        metric,
        kind: 'histogram',
        entity: builder.entity('process', `host-${rank}/1`),
        resource: -1,
        unit,
        description: '',
        temporality,
        monotonic: false,
        attributes: `{"comm_id_hash":"0xabc","op_type":"AllReduce","rank":${rank}}`,
      });
      for (let minute = 1; minute <= minutes; minute++) {
        const time_ns = atSecond(minute * 60 + rank * 7);
        const times = temporality === 1 ? 1 : minute;
        builder.table('distribution').push({
          series,
          start_ns: 0n,
          time_ns,
          count: 100 * times,
          sum: 100 * times * wait * (unit === 'ms' ? 1000 : 1),
          min: Number.NaN,
          max: Number.NaN,
          detail: '{"bounds":[],"counts":[]}',
        });
      }
    }
  });
  return createReader(session).stragglerSlices(10_000_000_000n, 2);
}

test.each([
  [2, 'nccl.collective.duration_ms', 'ms'],
  [1, 'rccl_collective_latency', 's'],
] as const)('waits of ranks by histograms, temporality %i: %s', async (temporality, metric, unit) => {
  const rows = await lateSlices(temporality, metric, unit);
  expect(rows.length).toBeGreaterThanOrEqual(8);
  const full = rows.filter(({ ranks }) => ranks === 4);
  expect(new Set(full.map(({ member }) => member))).toEqual(new Set(['2']));
  expect(full[0]).toMatchObject({ usual_ns: 100 * MS, own_ns: MS, operations: 100, group_name: '0xabc' });
});

test.each([
  ['rccl_collective_latency', [0.1, 0.04], '1', 40],
  ['cuda.operation.duration', [0.02, 0.1], '1', 100],
] as const)('of two ranks the other one is the peer: %s', async (metric, waits, member, own_ms) => {
  const rows = await lateSlices(1, metric, 's', [...waits], 20);
  const straggler = rows.find((row) => row.ranks === 2 && row.member === member);
  expect(straggler).toMatchObject({ usual_ns: waits[0] * 1000 * MS, own_ns: own_ms * MS });
  expect(measuredStragglers(rows).map(({ first }) => first.member)).toEqual([member]);
});

test('of two ranks that enter collectives the later one is late, and its peer waited for all of it', async () => {
  const session = await recordedCase(({ builder }) => {
    const name = builder.name('dp');
    const none = builder.name('');
    for (let at = 0; at < 16; at++)
      for (const [rank, late_ms] of [0, 60].entries())
        builder.table('collective').push({
          rank: builder.entity('rank', `rank-${rank}`),
          group_id: name,
          group_name: name,
          group_ranks: builder.name('0,1'),
          sequence: BigInt(at),
          p2p_sequence: -1n,
          operation: builder.name('all_reduce'),
          state: builder.name('completed'),
          created_ns: atSecond(at) + BigInt(late_ms * MS),
          started_ns: 0n,
          completed_ns: atSecond(at) + BigInt(100 * MS),
          dtype: none,
          input_sizes: '[]',
          output_sizes: '[]',
          attributes: '',
        });
  });
  const [late, ...more] = await createReader(session).lateRanks(10_000_000n);
  expect(more).toEqual([]);
  expect(late).toMatchObject({ ranks: 2, operations: 16, late: 16 });
  expect(late?.lost_s).toBeCloseTo(16 * 0.06, 6);
});

test('waits in other units than time, and without a rank, are none', async () => {
  expect(await lateSlices(2, 'nccl.collective.duration', 'By')).toEqual([]);
  expect(await lateSlices(2, 'http.server.duration', 's')).toEqual([]);
});

const INGERO = 'defects/nccl-metrics/ingero-otlp.json.gz';

test("a straggler of two minutes in Ingero's metrics is a finding, and its samples open", async () => {
  const core = await memoryCore();
  await core.import([sharedData(INGERO)]);
  const { findings } = await core.api['patterns.list']({});
  const straggler = findings.find(({ pattern }) => pattern === 'collective-straggler');
  expect(straggler?.headline).toMatch(/^Rank 3 of 0xabc came last into collectives for 2 min: it waited 1\.48 ms/);
  const [ref = ''] = straggler?.evidence[0]?.refs ?? [];
  const record = await core.api['evidence.get']({ ref });
  expect(record.title).toMatch(/^nccl\.collective\.barrier_wait_ms of ingero: .* ms on average$/);
});

test('series of one metric show first the attributes in which they differ', async () => {
  const core = await memoryCore();
  await core.import([sharedData(INGERO)]);
  const rows = await core.api['differences.find']({
    region: { start_ns: 1_777_644_600_000_000_000n, end_ns: 1_777_644_720_000_000_000n },
    baseline: { kind: 'rest' },
  });
  const values = rows.differences.map(({ attribute, value }) => `${attribute} ${value}`);
  expect(new Set(values).size).toBe(values.length);
  expect(values).toContainEqual(expect.stringMatching(/^nccl\.collective\.barrier_wait_ms, mean ingero \(rank=0, /));
});
