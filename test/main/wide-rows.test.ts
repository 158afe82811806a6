import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { rowsInOrder } from '../../src/core/store/copies/rows-in-order.ts';
import { exportedRows, exportTables } from '../../src/core/store/exports/index.ts';
import { exchangeOf, writeParquetTables } from '../../src/main/engine/exchange.ts';
import { openFileEngine } from '../../src/main/engine/file-engine.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { temporaryFolder } from '../support/core.ts';

const work = { signal: new AbortController().signal, onTable: () => undefined };
const rows = (where: string) => `select time_ns, body from t where ${where}`;
const select = { rows, key: 'time_ns', order: 'time_ns, body' };

test('rows too wide to be sorted as one go into a file in their order, each once', async () => {
  const engine = await openNativeEngine(join(await temporaryFolder(), 'wide.duckdb'));
  const session = await engine.session();
  const count = 40_000;
  await session.execute(`create table t as
    select case when i % 4000 = 3 then null else (i * 7919) % ${count} // 2 end as time_ns,
      array_to_string([md5((i + k)::varchar) for k in range(190)], '') as body
    from range(${count}) r(i)`);
  const ordered = await rowsInOrder(session, select);
  expect(ordered.wide?.parts.length).toBeGreaterThan(2);
  const [written] = await writeParquetTables(engine, [{ table: 't', ...ordered }], work);
  expect(written?.rows).toBe(count);
  const reader = await openFileEngine([join(await exchangeOf(engine), 't.parquet')]);
  const read = await reader.session();
  const answer = await read.query(`
    with read as (
      select *, lag(time_ns) over (order by file_row_number) as before, lag(body) over (order by file_row_number) as text
      from (select time_ns, left(body, 64) as body, file_row_number from read_parquet('${written?.path}', file_row_number = true)))
    select count(*)::integer, count(distinct body)::integer,
      count(*) filter (time_ns < before or (before is null and time_ns is not null and file_row_number > 0))::integer,
      count(*) filter (time_ns = before and body < text)::integer from read`);
  expect(answer.columns.map(([value]) => value)).toEqual([count, count, 0, 0]);
  await reader.close();
  session.close();
  await engine.close();
});

test('wide spans of clocks that differ go into parts with what happened in each, as if they were one', async () => {
  const engine = await openNativeEngine(join(await temporaryFolder(), 'spans.duckdb'));
  await prepareCase(engine, 'spans');
  const session = await engine.session();
  const count = 30_000;
  await session.execute(`
    insert into source select i, 'file-' || i, 'otlp', 'd' || i, 0, 0, 0, 0, i * 7000000, 0, '{}', 0, '[]' from range(1, 3) r(i);
    insert into span select 1 + i % 2, i // 5, 9, i // 2, 0, 1000000000 + (i * 7919) % ${count} * 1000, 2000000000, null, null, null, null,
      1, 0, 0, null, null, '{"prompt":"' || array_to_string([md5((i + k)::varchar) for k in range(150)], '') || '"}', 0
    from range(${count}) r(i);
    insert into span_event select source_id, trace_hi, trace_lo, span_id, start_ns + k, null, '{"k":' || k || '}'
    from span, range(2) r(k) where span_id % 3 = 0;
    insert into span_link (source_id, trace_hi, trace_lo, span_id, linked_trace_hi, linked_trace_lo, linked_span_id, trace_state, attributes)
    select source_id, trace_hi, trace_lo, span_id, 1, 2, span_id, null, '{}' from span where span_id % 4 = 0;`);
  const ordered = await exportedRows(session, 'spans', exportTables.spans);
  expect(ordered.wide?.parts.length).toBeGreaterThan(2);
  const [written] = await writeParquetTables(engine, [{ table: 'spans', ...ordered }], work);
  const reader = await openFileEngine([written!.path]);
  const digest = (from: string): string =>
    `select count(*)::integer, count(events)::integer, count(links)::integer, sum(hash(t))::varchar from (${from}) t`;
  const read = await (await reader.session()).query(digest(`from read_parquet('${written?.path}')`));
  expect(read.columns).toEqual((await session.query(digest(ordered.sql))).columns);
  expect(read.columns[1]?.[0]).toBeGreaterThan(5000);
  const late = await (await reader.session()).query(
    `select count(*)::integer from (select start_time_unix_nano as t, lag(start_time_unix_nano) over (order by file_row_number) as before
     from read_parquet('${written?.path}', file_row_number = true)) where t < before`,
  );
  expect(late.columns).toEqual([[0]]);
  await reader.close();
  session.close();
  await engine.close();
});

test('parts that do not hold every row any longer are no export', async () => {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  await session.execute('create table t as select i as time_ns, null::varchar as body from range(10) r(i)');
  const wide = {
    parts: [`${rows('time_ns < 5')} order by 1`, `${rows('time_ns > 5')} order by 1`],
    count: `select count(*) from t`,
    row_group: 2048,
  };
  const written = writeParquetTables(engine, [{ table: 't', sql: rows('true'), wide }], work);
  await expect(written).rejects.toMatchObject({ problem: { code: 'export.changed' } });
  session.close();
  await engine.close();
});

test('rows that are not wide are sorted as one', async () => {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  await session.execute("create table t as select i as time_ns, repeat('x', 900) as body from range(200000) r(i)");
  expect(await rowsInOrder(session, select)).toEqual({ sql: `${rows('true')} order by ${select.order}` });
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
