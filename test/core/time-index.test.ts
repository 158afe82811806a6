import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { WarmTimeIndex } from '../../src/core/api/evidence/warm-time-index.ts';
import { readRecordedLanes } from '../../src/core/api/lanes/lane-catalog.ts';
import { readLanes } from '../../src/core/api/lanes/lane-data.ts';
import { readCaseTimeIndex } from '../../src/core/store/facts/time-index.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { atSecond, every, type Recording, recordedCase, START_NS } from '../support/software-case.ts';

const noQueries = { has: async () => false, add: async () => undefined };

function happened({ builder }: Recording, time_ns: bigint, entityKey: string, severity: number): void {
  builder.table('event').push({
    original_id: '',
    time_ns,
    entity: builder.entity('gpu', entityKey),
    origin: builder.name('test'),
    type: builder.name('xid_error'),
    severity,
    message: '',
    attributes: '',
    raw: '',
    details: '',
  });
}

const busyCase = () =>
  recordedCase((recording) => {
    recording.requests(every(0.05, 0, 100), 'shop GET <----!\n  stock take  <--->');
    recording.requests(every(0.5, 20, 90), 'cart GET <--->');
    for (let at = 0; at < 9000; at++) happened(recording, atSecond(at / 90), `g${at % 3}`, at % 4);
    happened(recording, atSecond(0), 'g7', 0);
  });

const signal = new AbortController().signal;

async function bothWays(session: Session, start_ns: bigint, length_ns: bigint, buckets: number) {
  const catalog = await readRecordedLanes(session, noQueries);
  const lanes = catalog.lanes.filter(({ kind }) => kind === 'events' || kind === 'spans').map(({ id }) => id);
  const input = { start_ns, end_ns: start_ns + length_ns, buckets, clocks: [], lanes };
  const known = await readCaseTimeIndex(session, signal);
  const source = { withSession: (work: (session: Session) => Promise<void>) => work(session) };
  return [
    await readLanes(source, catalog, input),
    await readLanes({ ...source, timeIndex: () => known ?? undefined }, catalog, input),
  ];
}

test('whatever the window, what is counted from memory is what the database counts', async () => {
  const session = await busyCase();
  const nanoseconds = fc.bigInt({ min: -5_000_000_000n, max: 105_000_000_000n });
  await fc.assert(
    fc.asyncProperty(
      nanoseconds,
      fc.bigInt({ min: 1n, max: 110_000_000_000n }),
      fc.integer({ min: 1, max: 2000 }),
      async (from, length, buckets) => {
        const [queried, counted] = await bothWays(session, START_NS + from, length, buckets);
        expect(counted).toEqual(queried);
      },
    ),
    { numRuns: 60 },
  );
});

test('the clocks of sources are in it', async () => {
  const session = await recordedCase((recording) => happened(recording, atSecond(7), 'g0', 1));
  await session.execute('update source set clock_offset_ns = 3000000000');
  const [asked, counted] = await bothWays(session, atSecond(0), 20_000_000_000n, 20);
  expect(counted).toEqual(asked);
  expect(counted?.map((lane) => lane.kind === 'events' && lane.density.indexOf(1))).toEqual([10]);
});

test('what lies years apart is not held, for its nanoseconds would be no exact numbers', async () => {
  const session = await recordedCase((recording) => {
    for (const time_ns of [0n, atSecond(7), 2n ** 63n - 1n]) happened(recording, time_ns, 'g0', 1);
  });
  expect(await readCaseTimeIndex(session, signal)).toBeNull();
  for (const [start_ns, events] of [
    [0n, 1],
    [atSecond(0), 1],
    [atSecond(10), 0],
  ] as const) {
    const [asked, counted] = await bothWays(session, start_ns, 20_000_000_000n, 20);
    expect(counted).toEqual(asked);
    expect(counted?.map((lane) => lane.kind === 'events' && lane.offset_s.length)).toEqual([events]);
  }
});

test('sparse entity numbers reserve no memory', async () => {
  const session = await recordedCase((recording) => happened(recording, atSecond(7), 'g0', 1));
  for (const entityKey of [2_000_000_000, 2_147_483_647]) {
    await session.execute(`update canonical set canonical_id = ${entityKey}`);
    expect(await readCaseTimeIndex(session, signal).catch(() => null)).toBeNull();
  }
});

test('a case without rows has nothing to count', async () => {
  const known = await readCaseTimeIndex(await recordedCase(() => undefined), signal);
  const counts = new Int32Array(4);
  const window = { start_ns: atSecond(0), end_ns: atSecond(4), buckets: 4 };
  expect(known?.events.addTo(counts, { entity: 12, grade: 0 }, window)).toBe(0);
  expect([...counts]).toEqual([0, 0, 0, 0]);
});

afterEach(() => void vi.useRealTimers());

test('rows are read once they stand still and somebody asks, and never of a state that is past', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const session = await busyCase();
  const reads: Promise<unknown>[] = [];
  const withSession = <T>(work: (session: Session) => Promise<T>) => {
    const read = work(session);
    reads.push(read);
    return read;
  };
  const young = new WarmTimeIndex(withSession);
  expect(young.timeIndex()).toBeUndefined();
  expect(reads, 'a capture may be about to bring more').toHaveLength(0);
  vi.advanceTimersByTime(2000);
  expect(young.timeIndex(), 'it is not awaited').toBeUndefined();
  await vi.waitFor(() => expect(young.timeIndex()?.spans).toBeDefined());
  expect(reads).toHaveLength(1);
  young.changed();
  expect(young.timeIndex()).toBeUndefined();

  const outdated = new WarmTimeIndex(withSession);
  vi.advanceTimersByTime(2000);
  outdated.timeIndex();
  outdated.changed();
  await expect(reads[1], 'it stops').rejects.toThrow();
  expect(outdated.timeIndex(), 'begun before the rows changed').toBeUndefined();
});

test('where they cannot be read the database is asked', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const rows = new WarmTimeIndex(() => Promise.reject(new Error('closed')));
  vi.advanceTimersByTime(2000);
  rows.timeIndex();
  await new Promise((resolve) => setTimeout(resolve));
  expect(rows.timeIndex()).toBeUndefined();
});
