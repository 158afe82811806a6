import { expect, test } from 'vitest';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { Session } from '../../src/model/storage/engine.ts';

/** Runs for hours, and answers one row. */
const endless =
  'with recursive t(i) as (select 1::bigint union all select i + 1 from t where i < 100000000000) select max(i) from t';
/** Its first rows come at once, its last never. */
const endlessRows = 'select a.range from range(1000000000) a, range(1000000) b';

const ways: Readonly<Record<string, (session: Session, sql: string, signal: AbortSignal) => Promise<unknown>>> = {
  query: (session, sql, signal) => session.query(sql, [], signal),
  queryUntrusted: (session, sql, signal) => session.queryUntrusted(sql, 10_000_000, signal),
  queryParquet: (session, sql, signal) => session.queryParquet(sql, signal),
};
const cases = Object.keys(ways).flatMap((way) => [endless, endlessRows].map((sql) => ({ way, sql })));

/** When the abort comes: before the call, while the statement is being prepared, while it runs. */
const stopTimes: readonly ((stop: () => void) => void)[] = [
  (stop) => stop(),
  (stop) => queueMicrotask(stop),
  (stop) => setImmediate(stop),
  (stop) => setTimeout(stop, 3),
  (stop) => setTimeout(stop, 100),
];

test.each(cases)('$way is ended by an abort at any moment, and the session goes on: $sql', async ({ way, sql }) => {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  for (const stopTime of stopTimes) {
    const stop = new AbortController();
    stopTime(() => stop.abort(new Error('enough')));
    await expect(ways[way]?.(session, sql, stop.signal)).rejects.toThrow('enough');
    expect((await session.queryUntrusted('select 42 as n', 5)).columns).toEqual([[42]]);
  }
  session.close();
  await engine.close();
});

test('a session may be closed, and its engine, while what was aborted still winds down', async () => {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  const stop = new AbortController();
  const pending = session.query(endless, [], stop.signal);
  setTimeout(() => stop.abort(new Error('enough')), 20);
  await expect(pending).rejects.toThrow('enough');
  session.close();
  await engine.close();
});

test('a signal that never aborts has no effect, and further rows are reported', async () => {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  const { signal } = new AbortController();
  const answer = await session.queryUntrusted('select range as n, range::hugeint as h from range(5000)', 3000, signal);
  expect([answer.count, answer.truncated, answer.columns[0]?.length, answer.columns[1]?.at(-1)]).toEqual([
    3000,
    true,
    3000,
    2999,
  ]);
  const whole = await session.queryUntrusted('select range as n from range(5000)', 5000, signal);
  expect([whole.count, whole.truncated]).toEqual([5000, false]);
  session.close();
  await engine.close();
});

test('an answer with very long texts ends early, with a message, instead of filling the memory', async () => {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  const long = await session.queryUntrusted("select i, repeat('x', 100000) from range(10000) t(i)", 10_000);
  expect(long.truncated).toBe(true);
  expect(long.count).toBeGreaterThan(0);
  expect(long.count).toBeLessThan(5000);
  expect(long.columns.map((column) => column.length)).toEqual([long.count, long.count]);
  session.close();
  await engine.close();
});
