import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rowsInOrder } from '../../src/core/store/rows-in-order.ts';
import { exchangeOf, writeParquetTables } from '../../src/main/engine/exchange.ts';
import { openFileEngine } from '../../src/main/engine/file-engine.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { temporaryFolder } from '../support/core.ts';

const work = { signal: new AbortController().signal, onTable: () => undefined };
const select = { rows: 'select time_ns, body from t where true', key: 'time_ns', order: 'time_ns, body' };

test('rows too wide to be sorted as one go into a file in their order, each once', async () => {
  const engine = await openNativeEngine(join(await temporaryFolder(), 'wide.duckdb'));
  const session = await engine.session();
  const rows = 40_000;
  await session.execute(`create table t as
    select case when i % 4000 = 3 then null else (i * 7919) % ${rows} // 2 end as time_ns,
      array_to_string([md5((i + k)::varchar) for k in range(190)], '') as body
    from range(${rows}) r(i)`);
  const ordered = await rowsInOrder(session, select);
  expect(ordered.wide?.parts.length).toBeGreaterThan(8);
  const [written] = await writeParquetTables(engine, [{ table: 't', ...ordered }], work);
  expect(written?.rows).toBe(rows);
  const reader = await openFileEngine([join(await exchangeOf(engine), 't.parquet')]);
  const read = await reader.session();
  const answer = await read.query(`
    with read as (
      select *, lag(time_ns) over (order by file_row_number) as before, lag(body) over (order by file_row_number) as text
      from (select time_ns, left(body, 64) as body, file_row_number from read_parquet('${written?.path}', file_row_number = true)))
    select count(*)::integer, count(distinct body)::integer,
      count(*) filter (time_ns < before or (before is null and time_ns is not null and file_row_number > 0))::integer,
      count(*) filter (time_ns = before and body < text)::integer from read`);
  expect(answer.columns.map(([value]) => value)).toEqual([rows, rows, 0, 0]);
  await reader.close();
  session.close();
  await engine.close();
});

test('rows that are not wide are sorted as one', async () => {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  await session.execute("create table t as select i as time_ns, repeat('x', 900) as body from range(200000) r(i)");
  expect(await rowsInOrder(session, select)).toEqual({ sql: `${select.rows} order by ${select.order}` });
  session.close();
  await engine.close();
});

test('what takes more memory than there is for it is a problem, and the engine goes on', async () => {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  await expect(session.query('select len(list(i)) from range(400000000) r(i)')).rejects.toMatchObject({
    problem: { code: 'memory.full' },
  });
  expect((await session.query('select 1::integer')).columns).toEqual([[1]]);
  session.close();
  await engine.close();
});
