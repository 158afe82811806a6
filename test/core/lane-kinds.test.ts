import { expect, test } from 'vitest';
import { readRecordedLanes } from '../../src/core/api/lanes/lane-catalog.ts';
import { readLanes } from '../../src/core/api/lanes/lane-data.ts';
import { readStatistics } from '../../src/core/api/lanes/lane-statistics.ts';
import { readCaseTimeIndex } from '../../src/core/store/facts/time-index.ts';
import { queries } from '../../src/core/store/queries/index.ts';
import type { Lane, LaneData, LaneStatistics, Parsed } from '../../src/model/contract/index.ts';
import type { EntityKind } from '../../src/model/entity.ts';
import { bandTones } from '../../src/model/lane-kind.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../src/model/rows/rows.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { atSecond, every, type Recording, recordedCase } from '../support/software-case.ts';

/** One bucket a second from 0 to 100. */
const window = { start_ns: atSecond(0), end_ns: atSecond(100), buckets: 100, clocks: [] };

const noQueries = { has: async () => false, add: async () => undefined };

const loadTimeIndex = async (session: Session) => {
  const known = await readCaseTimeIndex(session, new AbortController().signal);
  return () => known ?? undefined;
};

interface Shown {
  readonly lane: Lane;
  readonly data: LaneData;
  readonly figures: LaneStatistics;
}

async function show(
  session: Session,
  id: string,
  change: Partial<Omit<Parsed<'timeline.data'>, 'lanes'>> = {},
): Promise<Shown> {
  const catalog = await readRecordedLanes(session, noQueries);
  const lane = catalog.lanes.find((one) => one.id === id);
  if (!lane) throw new Error(`no lane ${id}; there are ${catalog.lanes.map((one) => one.id).join(', ')}`);
  const input = { ...window, ...change, lanes: [id] };
  const [data] = await readLanes({ withSession: (work) => work(session) }, catalog, input);
  const timeIndex = await loadTimeIndex(session);
  const [counted] = await readLanes({ withSession: (work) => work(session), timeIndex }, catalog, input);
  expect(counted, 'counted by what is known of the rows').toEqual(data);
  const [figures] = await readStatistics(session, catalog, input);
  return { lane, data: data!, figures: figures! };
}

/** Bands as text: `10-20 high name`, `..` where its end was not recorded, `/1` for a depth. */
function laneLines(data: LaneData): string[] {
  if (data.kind !== 'bands')
    throw new Error(data.kind === 'broken' ? data.message : `bands expected, not ${data.kind}`);
  const inside = (second: number): number => Number(Math.min(100, Math.max(0, second)).toFixed(3));
  return data.names.length === 0
    ? []
    : [...data.start_s].map((start, at) => {
        const until = data.is_open[at] === 1 ? '..' : inside(data.end_s[at]!);
        const depth = data.depth[at] === 0 ? '' : `/${data.depth[at]}`;
        return `${inside(start)}-${until}${depth} ${bandTones[data.tone[at]!]} ${data.names[data.name[at]!]}`;
      });
}

interface Series {
  readonly entityRef: readonly [EntityKind, string];
  readonly metric: string;
  readonly attributes?: string;
}
function samples(
  { builder }: Recording,
  { entityRef, metric, attributes = '' }: Series,
  values: readonly [number, number][],
) {
  const series = builder.series({
    metric,
    kind: 'gauge',
    entity: builder.entity(...entityRef),
    resource: -1,
    unit: '',
    description: '',
    temporality: 0,
    monotonic: false,
    attributes,
  });
  for (const [second, value] of values)
    builder.table('point').push({ series, start_ns: 0n, time_ns: atSecond(second), value });
}

const happened = (
  { builder }: Recording,
  second: number,
  type: string,
  [kind, id]: readonly [EntityKind, string],
  severity = 1,
) =>
  builder.table('event').push({
    original_id: '',
    time_ns: atSecond(second),
    entity: builder.entity(kind, id),
    origin: builder.name('test'),
    type: builder.name(type),
    severity,
    message: '',
    attributes: '',
    raw: '',
    details: '',
  });

const gpu = { entityRef: ['gpu', 'g'], metric: 'hw.gpu.clocks_event_reasons' } as const;
const LANE = 'metric:gpu:g:hw.gpu.clocks_event_reasons';

test('a bit mask is a state by its names; what was not recorded is unknown, before, between and after', async () => {
  const session = await recordedCase((recording) => {
    const at = (seconds: readonly number[], value: number) =>
      seconds.map((second): [number, number] => [second, value]);
    const values = [...at(every(1, 10, 30), 0), ...at(every(1, 30, 40), 0x80 | 0x8), ...at(every(1, 60, 70), 0x4)];
    samples(recording, gpu, values);
  });
  const { lane, data, figures } = await show(session, LANE);
  expect(lane).toMatchObject({ kind: 'state', unit: '', sources: [1] });
  expect(laneLines(data)).toEqual([
    '0-10 unknown not recorded',
    '10-30 calm none',
    '30-40 high hw slowdown + hw power brake slowdown',
    '40-60 unknown not recorded',
    '60-70 low sw power cap',
    '70-100 unknown not recorded',
  ]);
  expect(figures).toMatchObject({ count: 40, mean: null });
});

test('bits without a name are shown as they are, above 32 bits as well', async () => {
  const session = await recordedCase((recording) =>
    samples(recording, gpu, [
      [0, 2 ** 40 + 0x404],
      [10, 2 ** 62],
      [20, 0x400],
    ]),
  );
  const { data } = await show(session, LANE, { start_ns: atSecond(0), end_ns: atSecond(30) });
  expect(laneLines(data)).toEqual([
    '0-10 medium sw power cap + 0x10000000400',
    '10-20 medium 0x4000000000000000',
    '20-30 medium 0x400',
  ]);
});

test('a window between two samples still knows the state that they hold', async () => {
  const session = await recordedCase((recording) =>
    samples(recording, gpu, [
      [0, 4],
      [300, 4],
      [600, 0],
    ]),
  );
  const { data } = await show(session, LANE, { start_ns: atSecond(100), end_ns: atSecond(200) });
  expect(laneLines(data)).toEqual(['0-100 low sw power cap']);
});

test('a single sample is visible, before and after are unknown', async () => {
  const session = await recordedCase((recording) => samples(recording, gpu, [[50, 4]]));
  const { data } = await show(session, LANE);
  expect(laneLines(data)).toEqual([
    '0-50 unknown not recorded',
    '50-50.001 low sw power cap',
    '50.001-100 unknown not recorded',
  ]);
});

test('several series of one entity show the worst state, with its count', async () => {
  const outlet = (attributes: string) => ({ entityRef: ['pdu', 'p'], metric: 'hw.outlet.state', attributes }) as const;
  const session = await recordedCase((recording) => {
    samples(
      recording,
      outlet('{"outlet":"1"}'),
      every(10, 0, 100).map((at) => [at, 1]),
    );
    samples(
      recording,
      outlet('{"outlet":"2"}'),
      every(10, 0, 100).map((at) => [at, at < 40 ? 1 : 0]),
    );
  });
  const { data } = await show(session, 'metric:pdu:p:hw.outlet.state');
  expect(laneLines(data)).toEqual(['0-40 calm on', '40-100 high off (1 of 2)']);
});

test('a number without a name stays a number, and thousands of changes are gathered', async () => {
  const session = await recordedCase((recording) => {
    const flapping = every(0.01, 0, 60).map((at, i): [number, number] => [at, i % 2]);
    samples(recording, { entityRef: ['port', 'eth0'], metric: 'hw.link.state' }, [
      ...flapping,
      ...every(0.01, 60, 70).map((at): [number, number] => [at, 7]),
    ]);
  });
  const { data } = await show(session, 'metric:port:eth0:hw.link.state');
  const lines = laneLines(data);
  expect(lines.length).toBeLessThan(210);
  expect(lines[1]).toMatch(/ high \d+ changes$/);
  expect(lines.at(-2)).toMatch(/calm 7$/);
});

test('paired events are a state; without an end it is open until the end of the data source', async () => {
  const session = await recordedCase((recording) => {
    happened(recording, 20, 'link_down', ['port', 'eth0']);
    happened(recording, 25, 'link_down', ['port', 'eth0']);
    happened(recording, 30, 'link_up', ['port', 'eth0']);
    happened(recording, 60, 'ups_transfer', ['ups', 'u']);
    happened(recording, 70, 'node_ready', ['node', 'n']);
    happened(recording, 90, 'xid_error', ['gpu', 'g']);
  });
  const link = await show(session, 'state:port:eth0:link');
  expect(laneLines(link.data)).toEqual([
    '0-20 unknown not recorded',
    '20-30 high down',
    '30-90 calm up',
    '90-100 unknown not recorded',
  ]);
  expect(link.data.kind === 'bands' && link.data.refs[1]).toBe('event:1');
  expect(link.figures.count).toBe(2);
  expect(laneLines((await show(session, 'state:ups:u:power source')).data)).toEqual([
    '0-60 unknown not recorded',
    '60-.. high on battery',
    '90-100 unknown not recorded',
  ]);
  // It was never reported in any other state.
  await expect(show(session, 'state:node:n:readiness')).rejects.toThrow('no lane');
});

test('spans are slices with what they hold below them; of too many, how many began and failed', async () => {
  const session = await recordedCase((recording) => {
    recording.requests([10], 'shop GET <--------------------!\n  shop render  <-->\n  stock take  <--->');
    recording.requests(every(0.01, 200, 260), 'busy GET <!\n  busy SUB <>');
  });
  const { lane, data, figures } = await show(session, 'spans:service:shop');
  expect(lane).toMatchObject({ kind: 'spans', unit: 'ms', count: 2 });
  expect(laneLines(data).map((line) => line.replace(/^\S*?(\/\d)? /, (_, depth: string) => `${depth ?? ''} `))).toEqual(
    [' critical GET', '/1 calm render'],
  );
  expect(data.kind === 'bands' && data.refs[0]).toMatch(/^span:[0-9a-f]{32}\/[0-9a-f]{16}$/);
  expect(figures.count).toBe(2);
  expect(figures.max).toBeGreaterThan(15);
  // Begun long before the window, and still running in it.
  const late = await show(session, 'spans:service:shop', { start_ns: atSecond(10.005), end_ns: atSecond(10.006) });
  expect(laneLines(late.data)).toHaveLength(2);
  const busy = await show(session, 'spans:service:busy', {
    start_ns: atSecond(200),
    end_ns: atSecond(260),
    buckets: 6,
  });
  if (busy.data.kind !== 'bands') throw new Error('bands expected');
  expect(busy.data.truncated).toBe(true);
  expect(busy.data.start_s).toHaveLength(0);
  expect([...busy.data.density]).toEqual([2000, 2000, 2000, 2000, 2000, 2000]);
  expect([...busy.data.failed]).toEqual([1000, 1000, 1000, 1000, 1000, 1000]);
});

test('log records are counted by severity', async () => {
  const session = await recordedCase((recording) => {
    for (const severity of [21, 17, 13, 9, 5, 0]) recording.log(42.5, 'shop', 'x', severity);
    recording.log(99.9, 'shop', 'x', 17);
  });
  const { lane, data, figures } = await show(session, 'logs:service:shop');
  expect(lane).toMatchObject({ kind: 'logs', count: 7 });
  if (data.kind !== 'logs') throw new Error('logs expected');
  expect([data.error[42], data.warning[42], data.other[42], data.error[99]]).toEqual([2, 1, 3, 1]);
  expect(figures).toMatchObject({ count: 7, per_second: 0.07 });
});

/** `all_reduce` of each rank: when it entered and when it was through, 0 if it was not. */
function operations(
  { builder }: Recording,
  sequence: number,
  ranks: Readonly<Record<string, readonly [number, number]>>,
) {
  for (const [rank, [from, until]] of Object.entries(ranks)) {
    builder.table('collective').push({
      rank: builder.entity('rank', rank),
      group_id: builder.name('0'),
      group_name: builder.name('default'),
      group_ranks: -1,
      sequence: BigInt(sequence),
      p2p_sequence: -1n,
      operation: builder.name('all_reduce'),
      state: builder.name(until === 0 ? 'started' : 'completed'),
      created_ns: atSecond(from),
      started_ns: 0n,
      completed_ns: until === 0 ? 0n : atSecond(until),
      dtype: -1,
      input_sizes: '',
      output_sizes: '',
      attributes: '',
    });
    builder.table('edge').push({
      from_entity: builder.entity('rank', rank),
      kind: builder.name('member_of'),
      to_entity: builder.entity('job', 'train'),
      valid_from_ns: ALWAYS_FROM,
      valid_to_ns: ALWAYS_TO,
      provenance: -1,
    });
  }
}

test('operations of a rank: late and missing ranks are visible, independent of clocks', async () => {
  const session = await recordedCase((recording) => {
    operations(recording, 1, { r0: [10, 20], r1: [10, 20], r2: [19, 20], r3: [510, 520] });
    operations(recording, 2, { r0: [30, 0], r1: [31, 0], r3: [530, 0] });
  });
  const of = async (rank: string) => show(session, `collectives:rank:${rank}`);
  const first = await of('r0');
  expect(first.lane).toMatchObject({ kind: 'collectives', within: ['job:train'], unit: 'ms' });
  expect(laneLines(first.data)).toEqual(['10-20 calm all_reduce #1', '30-.. high all_reduce #2, not through']);
  expect(first.figures).toMatchObject({ count: 2, max: 10_000 });
  const late = await of('r2');
  expect(laneLines(late.data)).toEqual([
    '19-20 medium all_reduce #1, 9.00 s late',
    '30-.. critical no all_reduce #2 in its record',
  ]);
  expect(late.data.kind === 'bands' && late.data.refs).toEqual([expect.stringMatching(/^collective:1\/\d+$/), '']);
});

test('a feed is down when nothing of its source was recorded, and not when it samples in bursts or one series ends', async () => {
  const session = await recordedCase((recording) => {
    const series = (id: string): Series => ({ entityRef: ['gpu', id], metric: 'hw.power' });
    const bursts = every(10, 0, 600).filter((at) => at < 300 || at >= 360);
    samples(
      recording,
      series('a'),
      bursts.flatMap((at): [number, number][] => [
        [at, 1],
        [at + 1.2, 1],
        [at + 2.4, 1],
      ]),
    );
    samples(
      recording,
      series('b'),
      every(10, 0, 100).map((at) => [at, Number.NaN]),
    );
  });
  const { columns, count } = await session.query(queries.silences);
  expect(count).toBe(1);
  expect(columns.slice(1, 3).map(([at]) => Number((at as bigint) - atSecond(0)) / 1e9)).toEqual([292.4, 360]);
  expect(columns.slice(3).map(([laneLines]) => laneLines)).toEqual([null, false]);
});

test('events of a data source use the clock of its lane', async () => {
  const session = await recordedCase((recording) => {
    happened(recording, 20, 'xid_error', ['gpu', 'g']);
    happened(recording, 98, 'xid_error', ['gpu', 'g']);
  });
  const offsets = async (...clocks: { source_id: number; shift_ns: bigint }[]) => {
    const { data } = await show(session, 'events:gpu:g', { clocks });
    return data.kind === 'events' ? [[...data.offset_s], data.density.reduce((a, b) => a + b, 0)] : data;
  };
  expect(await offsets()).toEqual([[20, 98], 2]);
  expect(await offsets({ source_id: 1, shift_ns: 5_000_000_000n })).toEqual([[25], 1]);
  expect(await offsets({ source_id: 7, shift_ns: 5_000_000_000n })).toEqual([[20, 98], 2]);
});

test('if there are too many events, critical and high ones are listed', async () => {
  const session = await recordedCase((recording) => {
    for (let at = 0; at < 6000; at++) happened(recording, at / 100, 'link_flap', ['port', 'eth0'], 3);
    happened(recording, 30, 'link_down', ['port', 'eth0'], 0);
    happened(recording, 70, 'link_errors', ['port', 'eth0'], 1);
    for (let at = 0; at < 6000; at++) happened(recording, at / 100, 'hw_slowdown', ['gpu', 'g'], 0);
    for (let at = 0; at < 6000; at++) happened(recording, at / 100, 'gpu_throttle', ['gpu', 'hot'], 1);
    happened(recording, 50, 'xid_error', ['gpu', 'hot'], 0);
    happened(recording, 30, 'xid_error', ['gpu', 'few'], 3);
  });
  const of = async (lane: string) => {
    const { data } = await show(session, lane);
    if (data.kind !== 'events') throw new Error(data.kind);
    const { truncated, mildest, offset_s, severity, type, types, density } = data;
    const words = [...offset_s].map((at, row) => `${at} ${severity[row]} ${types[type[row]!]}`);
    return { truncated, mildest, words, all: density.reduce((a, b) => a + b, 0) };
  };
  const severe = ['30 0 link_down', '70 1 link_errors'];
  expect(await of('events:port:eth0')).toEqual({ truncated: true, mildest: 1, words: severe, all: 6002 });
  expect(await of('events:gpu:g')).toEqual({ truncated: true, mildest: -1, words: [], all: 6000 });
  expect(await of('events:gpu:hot')).toEqual({ truncated: true, mildest: 0, words: ['50 0 xid_error'], all: 6001 });
  expect(await of('events:gpu:few')).toEqual({ truncated: false, mildest: 3, words: ['30 3 xid_error'], all: 1 });
});

test('lanes share the event limit of a window: small ones leave room to others', async () => {
  const session = await recordedCase((recording) => {
    for (let entityRef = 0; entityRef < 5; entityRef++)
      for (let at = 0; at < ([10, 100, 4900, 4900, 5100][entityRef] ?? 0); at++)
        happened(recording, at / 60, 'hw_slowdown', ['gpu', `g${entityRef}`], 3);
    for (let gpu = 5; gpu < 8; gpu++)
      for (let at = 0; at < 2900; at++) happened(recording, at / 60, 'hw_slowdown', ['gpu', `g${gpu}`], 3);
  });
  const catalog = await readRecordedLanes(session, noQueries);
  const moments = await loadTimeIndex(session);
  const laneLines = async (...entities: number[]) => {
    const input = { ...window, lanes: entities.map((entityRef) => `events:gpu:g${entityRef}`) };
    const data = await readLanes({ withSession: (work) => work(session) }, catalog, input);
    const counted = await readLanes({ withSession: (work) => work(session), timeIndex: moments }, catalog, input);
    expect(counted).toEqual(data);
    return data.map((lane) => (lane.kind === 'events' ? lane.offset_s.length : lane.kind));
  };
  expect(await laneLines(0, 1, 2, 3, 4)).toEqual([10, 100, 4900, 4900, 0]);
  expect(await laneLines(0, 1, 2, 3, 5, 6, 7)).toEqual([10, 100, 0, 0, 2900, 2900, 2900]);
});
