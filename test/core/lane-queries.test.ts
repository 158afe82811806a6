import { expect, test } from 'vitest';
import { readRecordedLanes } from '../../src/core/api/lanes/lane-catalog.ts';
import { readLanes } from '../../src/core/api/lanes/lane-data.ts';
import { readStatistics } from '../../src/core/api/lanes/lane-statistics.ts';
import { changeAnnotations } from '../../src/core/store/case-file/annotations.ts';
import type { LaneData, LaneStatistics } from '../../src/model/contract/index.ts';
import type { AnnotationOf } from '../../src/model/incident/annotation.ts';
import { atSecond, every, recordedCase } from '../support/software-case.ts';

const window = { start_ns: atSecond(0), end_ns: atSecond(100), buckets: 10, clocks: [] };
type Saved = Pick<AnnotationOf<'query'>, 'sql' | 'lane'>;

/** What a saved query shows in ten buckets of ten seconds; requests came once a second from 20 to 60. */
async function drawn({ sql, lane }: Saved): Promise<{ data: LaneData; figures: LaneStatistics; lanes: string[] }> {
  const session = await recordedCase((recording) => recording.requests(every(1, 20, 60), '\n  web GET /  <----->\n'));
  const query = { id: 'q1', text: 'mine', at_ns: null, until_ns: null, made_at_ns: 1n };
  await changeAnnotations(session, { put: [{ kind: 'query', ...query, sql, lane }], remove: [] });
  const catalog = await readRecordedLanes(session, { has: async () => true, add: async () => undefined });
  const own = catalog.lanes.filter(({ layer }) => layer === 'queries').map(({ id }) => id);
  const input = { ...window, lanes: own };
  const [data] = await readLanes({ withSession: (work) => work(session) }, catalog, input);
  const [figures] = await readStatistics(session, catalog, input);
  return { data: data!, figures: figures!, lanes: own };
}

const lane = { time: 'start_utc', value: 'n', unit: 'ms' };

test('a saved query is drawn over its column of times, a gap where it answers nothing', async () => {
  const { data, figures } = await drawn({
    sql: 'select start_utc, epoch_ns(start_utc) // 1000000000 % 10 as n from spans -- every second\n;',
    lane,
  });
  if (data.kind !== 'metric') throw new Error(JSON.stringify(data));
  expect([...data.min].map((value) => Number.isNaN(value))).toEqual([...'1100001111'].map((digit) => digit === '1'));
  expect(data.min[3]).toBe(0);
  expect(data.max[3]).toBe(9);
  expect(data.last[3]).toBe(9);
  expect(figures).toMatchObject({ count: 40, min: 0, max: 9, mean: 4.5 });
});

test('without a value it is how many rows a second, which is none where there are none', async () => {
  const { data, figures } = await drawn({
    sql: 'select start_ns from spans',
    lane: { ...lane, time: 'start_ns', value: null },
  });
  if (data.kind !== 'metric') throw new Error(JSON.stringify(data));
  expect([...data.last]).toEqual([0, 0, 1, 1, 1, 1, 0, 0, 0, 0]);
  expect(figures).toMatchObject({ count: 40, min: null });
});

test('a query that is not a lane is none', async () => {
  expect((await drawn({ sql: 'select 1', lane: null })).lanes).toEqual([]);
});

test.each([
  ['what it asks for is not there', 'select nonsense from spans', lane, /nonsense/],
  ['no such column', 'select start_utc from spans', lane, /no column n/],
  ['times that are none', 'select service as start_utc, 1 as n from spans', lane, /holds no instants/],
  ['numbers that are none', 'select start_utc, service as n from spans', lane, /holds no numbers/],
  [
    'several entities at a time',
    'select start_utc, unnest([1, 2]) as n from spans',
    lane,
    /several values at one time/,
  ],
  ['more than one statement', 'select start_utc, 1 as n from spans; select 2', lane, /exactly one statement/],
  ['a change', 'delete from span', lane, /only SELECT/],
  ['half a statement', 'select start_utc, 1 as n from spans) where true or (select 1', lane, /./],
])('a lane whose query cannot be drawn is broken, with a reason: %s', async (_, sql, columns, message) => {
  const { data, figures } = await drawn({ sql, lane: columns });
  expect(data.kind).toBe('broken');
  expect(data.kind === 'broken' ? data.message : '').toMatch(message);
  expect(figures.count).toBe(0);
});

test('a query that never ends takes no other lane with it', async () => {
  const endless = 'select s.start_utc, 1 as n from spans s, range(100000) a, range(100000) b, range(100000) c';
  const { data } = await drawn({ sql: `${endless} where (a.range * b.range * c.range) % 7 = 8`, lane });
  expect(data.kind === 'broken' ? data.message : data.kind).toMatch(/takes longer than 2 s/);
});

/** What lanes of metrics show of requests that came once a second from 20 to 60. */
async function drawnMetrics(
  ...searches: readonly Pick<AnnotationOf<'search'>, 'query' | 'labels'>[]
): Promise<LaneData[]> {
  const session = await recordedCase((recording) => recording.requests(every(1, 20, 60), '\n  web GET /  <----->\n'));
  const common = { kind: 'search', text: 'mine', at_ns: null, until_ns: null, made_at_ns: 1n, unit: '' } as const;
  await changeAnnotations(session, {
    put: searches.map((one, at) => ({ ...common, ...one, labels: [...one.labels], id: `s${at}` })),
    remove: [],
  });
  // No query of this case was ever run here: a search needs no leave.
  const catalog = await readRecordedLanes(session, { has: async () => false, add: async () => undefined });
  const own = catalog.lanes.filter(({ layer }) => layer === 'queries');
  expect(own.map(({ entity_id }) => entity_id)).toEqual(searches.map(() => 'mine'));
  const input = { ...window, lanes: own.map(({ id }) => id) };
  return readLanes({ withSession: (work) => work(session) }, catalog, input);
}

test('a series of a TraceQL metric is a lane: none is zero where spans are counted, else unknown', async () => {
  const by = (value: string) => [{ name: 'resource.service.name', value }];
  const [counted, largest, grouped, unknown, refused, compared] = await drawnMetrics(
    { query: '{ } | count_over_time()', labels: [] },
    { query: '{ } | max_over_time(duration)', labels: [] },
    { query: '{ } | rate() by (resource.service.name)', labels: by('web') },
    { query: '{ } | rate() by (resource.service.name)', labels: by('gone') },
    { query: '{ } | rat()', labels: [] },
    { query: '{ } | compare({ status = error })', labels: [] },
  );
  const last = (data: LaneData | undefined): readonly number[] => (data?.kind === 'metric' ? [...data.last] : []);
  expect(last(counted)).toEqual([0, 0, 10, 10, 10, 10, 0, 0, 0, 0]);
  expect(last(largest).map(Number.isNaN)).toEqual([...'1100001111'].map((digit) => digit === '1'));
  expect(last(grouped).map((value) => Math.round(value))).toEqual([0, 0, 1, 1, 1, 1, 0, 0, 0, 0]);
  expect(last(unknown)).toEqual(Array(10).fill(0));
  expect(refused).toMatchObject({ kind: 'broken', message: expect.stringContaining('character 7') });
  expect(compared).toMatchObject({ kind: 'broken' });
});
