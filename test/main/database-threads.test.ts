import { expect, onTestFinished, test } from 'vitest';
import { threadsAtFirst } from '../../src/main/engine/database-threads.ts';
import { DATABASE_THREADS } from '../../src/main/engine/insert-rows.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { AppendRows, RowFeed, Session } from '../../src/model/storage/engine.ts';

const rowsOf = (count: number): AppendRows => ({
  columns: [{ type: 'i32', values: new Int32Array(count).fill(7) }],
  count,
});

async function open() {
  const engine = await openNativeEngine(':memory:');
  const [session, other] = [await engine.session(), await engine.session()];
  onTestFinished(async () => {
    session.close();
    other.close();
    await engine.close();
  });
  await session.execute('create table t (i integer)');
  return { session, other };
}

const threadsOf = async (session: Session): Promise<unknown> =>
  (await session.query("select current_setting('threads')::integer")).columns[0]?.[0];

const fed = (...given: (AppendRows | 'later')[]): RowFeed => ({ types: ['i32'], next: () => given.shift() ?? 'end' });

test('a small database has one thread, and more only while rows are inserted', async () => {
  const { session, other } = await open();
  expect(await threadsOf(session)).toBe(1);
  let meanwhile: unknown;
  let asked: Promise<void> | undefined;
  const next = (): 'later' | 'end' => {
    asked ??= threadsOf(other).then((threads) => {
      meanwhile = threads;
    });
    return meanwhile === undefined ? 'later' : 'end';
  };
  await session.insert('t', { types: ['i32'], next });
  await asked;
  expect(meanwhile).toBe(DATABASE_THREADS);
  expect(await threadsOf(session)).toBe(1);
});

test('inserts at once, and one that fails, leave one thread and every row', async () => {
  const { session, other } = await open();
  const failing: RowFeed = {
    types: ['i32'],
    next: () => {
      throw new Error('a damaged file');
    },
  };
  await expect(session.insert('t', failing)).rejects.toThrow('a damaged file');
  await Promise.all([session.insert('t', fed(rowsOf(3000), 'later', rowsOf(10))), other.insert('t', fed(rowsOf(5)))]);
  expect(await threadsOf(session)).toBe(1);
  expect((await session.query('select count(*)::integer, sum(i)::integer from t')).columns).toEqual([[3015], [21105]]);
});

test('SQL that a person wrote has all threads', async () => {
  const { session, other } = await open();
  const stop = new AbortController();
  const sql = 'select count(*) from range(1000000) a(i), range(1000000) b(j) where (i + j) % 7 = 3';
  const asked = session.queryUntrusted(sql, 1, stop.signal);
  await expect.poll(() => threadsOf(other)).toBe(DATABASE_THREADS);
  stop.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(() => threadsOf(session)).toBe(1);
});

test('a database of many rows, or of many bytes on disk, keeps its threads', async () => {
  const { session } = await open();
  await session.insert('t', fed(rowsOf(300_000), rowsOf(300_000)));
  expect(await threadsOf(session)).toBe(DATABASE_THREADS);
  expect([threadsAtFirst(2 ** 20), threadsAtFirst(2 ** 30)]).toEqual([1, DATABASE_THREADS]);
});
