import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { faultlineHere as faultline } from '../support/command-line-here.ts';
import { temporaryFolder } from '../support/core.ts';

/** A small case as a stranger hands it over. */
async function smallCase(): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = await temporaryFolder();
  const path = join(folder, 'theirs.faultline');
  const files = join(import.meta.dirname, '../../fixtures/otlp/requests/gcp-ops__logs__logs_apache_access.binpb');
  expect((await faultline('import', path, files)).err).toBe('');
  return { folder, path };
}

async function put(path: string, ...statements: readonly string[]): Promise<void> {
  await mkdir(path, { recursive: true });
  const instance = await DuckDBInstance.create(join(path, 'case.duckdb'));
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

/** Where an answer of ours would be another one, or would never come. */
const strange: readonly (readonly [string, readonly string[]])[] = [
  ['the function sum', ['create macro sum(x) as 0']],
  [
    'the function + and 3 more',
    [
      'create macro duckdb_functions() as table select 1 as x where false',
      'create macro max(x) as 0',
      'create macro "+"(a, b) as 0',
      'create view duckdb_columns as select 1 as x',
    ],
  ],
  [
    'the index fast and 4 more',
    [
      'create schema temp',
      'create sequence later',
      "create type kind as enum ('a')",
      'create table "other"" where false" (source_id integer)',
      'create index fast on event (severity)',
    ],
  ],
];

test.each(strange)('a case with %s of its own is refused in one line, and repaired without it', async (name, made) => {
  const { folder, path } = await smallCase();
  const before = JSON.parse((await faultline('info', path, '--json')).out) as { rows: unknown };
  await put(path, ...made);
  const { code, err } = await faultline('info', path);
  expect([code, err.split('\n')[0]]).toEqual([1, expect.stringContaining(`foreign objects: ${name}`)]);
  expect(err).toContain('faultline repair CASE');
  expect(err).not.toContain('    at ');
  expect(await faultline('repair', path)).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 of 1 sources recovered'),
  });
  const after = JSON.parse((await faultline('info', join(folder, 'theirs-repaired.faultline'), '--json')).out);
  expect(after.rows).toEqual(before.rows);
});

/** The type of its rows is unknown. */
const changed: readonly (readonly [string, readonly string[]])[] = [
  [
    'the table happened and 1 more',
    ['alter table event rename to happened', 'create view event as select * from happened, range(1000000000)'],
  ],
  [
    'the table alias',
    [
      'drop table alias',
      "create table alias (entity_id integer, source_id integer, kind varchar, name varchar generated always as (repeat('x', 1000000000)))",
    ],
  ],
  ['the table meta', ['create or replace table meta (key varchar, value varchar check (length(value) < 3))']],
  ['other columns in the table event', ['alter table event add column more integer']],
  ['tables that are not those of its schema', ["update meta set value = 'many' where key = 'schema_version'"]],
];

test.each(changed)('a case with %s is refused in one line, also by a repair', async (name, made) => {
  const { path } = await smallCase();
  await put(path, ...made);
  const { code, err } = await faultline('info', path);
  expect([code, err.split('\n')[0]]).toEqual([1, expect.stringContaining(name)]);
  const repaired = await faultline('repair', path);
  expect([repaired.code, repaired.err.split('\n')[0]]).toEqual([1, expect.stringMatching(/^faultline: .*this case/)]);
  expect(repaired.err).not.toContain('    at ');
});

test('views and functions that are called like ours are ours again, and those of a case that has ours stay as they are', async () => {
  const { path } = await smallCase();
  const count = async () => (await faultline('query', path, 'select count(*) as n from logs', '--format', 'json')).out;
  const before = await count();
  expect(before).toMatch(/[1-9]/);
  await put(path, 'create or replace view logs as select 1 as x where false');
  expect(await count()).toBe(before);
  const { mtimeNs } = await stat(join(path, 'case.duckdb'), { bigint: true });
  expect(await count()).toBe(before);
  expect((await stat(join(path, 'case.duckdb'), { bigint: true })).mtimeNs).toBe(mtimeNs);
});

test('a database of somebody who never had a case becomes none', async () => {
  const path = join(await temporaryFolder(), 'other.faultline');
  await put(path, 'create table people (name varchar)');
  const { code, err } = await faultline('info', path);
  expect([code, err]).toEqual([1, expect.stringContaining('the table people')]);
});

test('notes of a capture that are none of ours are no notes, and the case opens', async () => {
  const { path } = await smallCase();
  const keys = ['killed', 'unfinished', 'written', 'ran'];
  await put(path, ...keys.map((key) => `insert or replace into meta values ('capture_${key}', '{broken')`));
  expect(await faultline('info', path)).toMatchObject({ code: 0, err: '' });
});

test('a source whose remarks are no JSON is one line', async () => {
  const { path } = await smallCase();
  await put(path, "update source set remarks = '{broken'");
  const { code, err } = await faultline('info', path);
  expect([code, err]).toEqual([1, expect.stringMatching(/^faultline: rows of this case contain impossible values\n/)]);
  expect(err).not.toMatch(/^\s+at /m);
});
