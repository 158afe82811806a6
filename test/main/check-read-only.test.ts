import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { ProblemError } from '../../src/model/problem.ts';
import type { Engine, Session } from '../../src/model/storage/engine.ts';

let engine: Engine;
let session: Session;
let folder = '';
let file = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-test-harmless-'));
  file = join(folder, 'case.duckdb');
  engine = await openNativeEngine(file);
  session = await engine.session();
  await session.execute("create table event as select 1 as a, 'x' as b; create view events as from event");
  await engine.checkpoint();
});
afterAll(async () => {
  session.close();
  await engine.close();
  await rm(folder, { recursive: true });
});

test.each([
  'select 1',
  'from events',
  'table event',
  'values (1)',
  'describe event',
  'summarize event',
  'show tables',
  'explain select * from event',
  'explain analyze select * from event',
  'select * from (pivot event on a in (1, 2) using count(*))',
  'with query as (select a from event) select * from query',
  'with recursive r as (select 1 as x union all select x + 1 from r where x < 3) select * from r',
  'select * from event where b in (select b from events) order by all',
  "select 'read_blob(1)' as text, a as glob from event",
  'select column_name from information_schema.columns',
  'from range(3)',
  'select * from json_each(\'{"a": 1}\')',
  'select unnest([1, 2])',
  'from unnest([1, 2])',
  'from event, generate_series(1, 3) s(i)',
  'select table_name from duckdb_tables()',
  'select function_name from duckdb_functions() limit 1',
])('%s is harmless', async (sql) => {
  expect((await session.queryUntrusted(sql, 10)).names.length).toBeGreaterThan(0);
  if (!sql.startsWith('explain')) await session.queryParquet(sql);
});

test.each([
  "select content from read_blob('FILE')",
  "select * from READ_TEXT('FILE')",
  `select * from "read_blob"/* */('FILE')`,
  "select * from system.main.read_blob('FILE')",
  "select (select size from read_blob('FILE'))",
  "with x as materialized (select * from read_blob('FILE')) select 1 from x",
  "select * from event where exists (from read_blob('FILE'))",
  "explain select * from read_blob('FILE')",
  "explain analyze select * from read_blob('FILE')",
  "select * from glob('FILE')",
  "select * from query('select * from duckdb_settings()')",
  'select * from duckdb_settings()',
  'select path from duckdb_databases()',
  'from pragma_database_list',
  'pragma database_list',
  "select current_setting('temp_directory')",
  "select [current_setting('temp_directory') for x in range(3)]",
  'delete from event',
  'drop table event',
  "copy event to 'x.csv'",
  "select * from read_csv('secret.csv')",
  "attach 'other.db'",
  'install httpfs',
  'load json',
  'set enable_external_access = true',
  'select 1; select 2',
  'create table t(a int)',
  'begin',
  'explain analyze set threads = 1',
  'explain analyze checkpoint',
  'explain analyze rollback',
  "from enable_logging(storage='file', storage_path='FILE')",
  "call enable_logging(storage='file', storage_path='FILE')",
  "select * from (select 1) t, lateral (from enable_logging(level='trace'))",
  "select 1 where exists (from system.main.enable_logging(storage := 'stdout'))",
  'from "ENABLE_PROFILING"()',
  'from enable_profiling()',
  'from disable_profiling()',
  'from disable_logging()',
  'from truncate_duckdb_logs()',
  'from checkpoint()',
  'from force_checkpoint()',
  'from enable_peg_parser()',
  "from seq_scan('event')",
  "from sql_auto_complete('sel')",
  "select write_log('x')",
  'select sleep_ms(1)',
  'select pg_sleep(1)',
  'select setseed(0.5)',
  "select getvariable('x')",
  'with recursive r as (select 1 as x union all select x + 1 from r, checkpoint() where x < 3) select * from r',
])('%s is refused', async (sql) => {
  const statement = sql.replace('FILE', file);
  for (const run of [() => session.queryUntrusted(statement, 10), () => session.queryParquet(statement)]) {
    const problem = await run().catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(ProblemError);
    expect((problem as ProblemError).problem.code).toMatch(/^sql\.(refused|failed)$/);
    expect(String(problem)).not.toContain(file);
  }
});

test('no table function of the engine can be called but those that are listed as harmless', async () => {
  const { columns } = await session.query(
    "select distinct function_name from duckdb_functions() where function_type in ('table', 'table_macro', 'pragma')",
  );
  const names = (columns[0] ?? []).map(String);
  expect(names.length).toBeGreaterThan(80);
  const callable: string[] = [];
  for (const name of names) {
    const problem = await session.queryUntrusted(`select * from "${name}"()`, 1).catch((error: unknown) => error);
    if (!(problem instanceof ProblemError && problem.problem.code === 'sql.refused')) callable.push(name);
  }
  // With arguments these read their arguments, or rows of the case.
  expect(callable.sort()).toEqual([
    'duckdb_columns',
    'duckdb_constraints',
    'duckdb_functions',
    'duckdb_indexes',
    'duckdb_keywords',
    'duckdb_tables',
    'duckdb_types',
    'duckdb_views',
    'generate_series',
    'histogram',
    'histogram_values',
    'icu_calendar_names',
    'json_each',
    'json_tree',
    'pg_timezone_names',
    'range',
    'repeat',
    'repeat_row',
    'summary',
    'unnest',
  ]);
  expect((await session.query('select count(*)::integer from event')).columns[0]).toEqual([1]);
});
