import { expect, test } from 'vitest';
import type { EventFact, Reader } from '../../src/core/store/facts/reader.ts';
import { ReaderMemory } from '../../src/core/store/facts/reader-memory.ts';

/** A reader of one state of a case: its answers name that state, and how often each was read. */
function readerOf(state: string, read: string[] = []): Reader {
  const answer = (name: string) => async () => {
    read.push(name);
    return [{ state, time_ns: 5n }];
  };
  async function* logBodies() {
    read.push('logBodies');
    yield [{ state }];
  }
  const all = { events: answer('events'), edges: answer('edges'), entities: answer('entities'), logBodies };
  return all as unknown as Reader;
}

const stateOf = (rows: readonly unknown[]): unknown => (rows[0] as { state: unknown }).state;
const events = (reader: Reader, from = 0n, to = 10n): Promise<EventFact[]> => reader.events(from, to);
const phases = { before_from_ns: 0n, before_to_ns: 5n, window_from_ns: 5n, window_to_ns: 9n } as never;
async function logs(reader: Reader): Promise<unknown> {
  for await (const rows of reader.logBodies(phases)) return stateOf(rows);
  return undefined;
}

test('what a reader of an older state reads after rows came is not given to later readers', async () => {
  const memory = new ReaderMemory();
  const older = memory.over(readerOf('old'), memory.edition);
  memory.rowsCame({ from_ns: 5n, to_ns: 6n });
  expect(stateOf(await older.edges())).toBe('old');
  expect(stateOf(await events(older))).toBe('old');
  expect(await logs(older)).toBe('old');
  const newer = memory.over(readerOf('new'));
  expect(stateOf(await newer.edges())).toBe('new');
  expect(stateOf(await events(newer))).toBe('new');
  expect(await logs(newer)).toBe('new');
});

test('the state that a reader sees is that of before its snapshot, not of when it first reads', async () => {
  const memory = new ReaderMemory();
  const { edition } = memory;
  memory.rowsCame({ from_ns: 5n, to_ns: 6n });
  await memory.over(readerOf('old'), edition).entities();
  expect(stateOf(await memory.over(readerOf('new')).entities())).toBe('new');
});

test('an older reader is not given what a newer one read', async () => {
  const memory = new ReaderMemory();
  const older = memory.over(readerOf('old'));
  memory.forget('edges');
  expect(stateOf(await memory.over(readerOf('new')).edges())).toBe('new');
  expect(stateOf(await older.edges())).toBe('old');
  expect(stateOf(await memory.over(readerOf('newest')).edges())).toBe('new');
});

test('rows of no time change what has no time, and answers of other times stay', async () => {
  const memory = new ReaderMemory();
  const first = memory.over(readerOf('old'));
  await first.edges();
  await events(first);
  memory.rowsCame(null);
  const read: string[] = [];
  const next = memory.over(readerOf('new', read));
  expect(stateOf(await next.edges())).toBe('new');
  expect(stateOf(await events(next))).toBe('old');
  expect(read).toEqual(['edges']);
});

test('an older reader still caches what later rows of other times leave as it is', async () => {
  const memory = new ReaderMemory();
  const older = memory.over(readerOf('old'));
  memory.rowsCame({ from_ns: 50n, to_ns: 60n });
  await events(older);
  const read: string[] = [];
  await events(memory.over(readerOf('new', read)), 2n, 8n);
  expect(read).toEqual([]);
});
