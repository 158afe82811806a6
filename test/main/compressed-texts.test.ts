import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { schemaScript } from '../../src/core/store/tables/index.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { Session } from '../../src/model/storage/engine.ts';

const ROWS = 300_000;
/** Texts of every kind by their number: none, long beyond a block, with NUL, of many bytes a character, random, repeated. */
const TEXT = `case i % 7
  when 0 then null
  when 1 then '{"n":' || i || '}'
  when 2 then case when i % 70_000 = 2 then repeat(md5(i::varchar), 20_000) else md5(i::varchar) end
  when 3 then 'a' || chr(0) || i
  when 4 then '温度 🌡 ' || i
  when 5 then ''
  else 'GET /healthz' end`;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-texts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const write = (session: Session, source: number): Promise<unknown> =>
  session.query(
    `insert into log select $1, i, i, 9, null, null, null, null, 0, 0, 0, 0, ${TEXT}, ${TEXT}, 0 from range(${ROWS}) t(i)`,
    [source],
  );

/** How many rows of a data source equal their input. */
async function same(session: Session, source: number): Promise<unknown> {
  const { columns } = await session.query(
    `select count(*)::integer from log join range(${ROWS}) t(i) on time_ns = i
     where source_id = $1 and body is not distinct from (${TEXT}) and attributes is not distinct from (${TEXT})`,
    [source],
  );
  return columns[0]?.[0];
}

const methods = async (session: Session): Promise<unknown> =>
  (
    await session.query(
      "select distinct compression from pragma_storage_info('log') where column_name = 'body' and segment_type = 'VARCHAR'",
    )
  ).columns[0];

test('texts that are stored as zstd are what they were, in a case that is opened again', async () => {
  const path = join(folder, 'new.duckdb');
  const engine = await openNativeEngine(path);
  await prepareCase(engine, 'texts');
  const session = await engine.session();
  await write(session, 1);
  session.close();
  await engine.checkpoint();
  await engine.close();

  const again = await openNativeEngine(path, { readOnly: true });
  const reader = await again.session();
  expect(await methods(reader)).toEqual(['ZSTD']);
  expect(await same(reader, 1)).toBe(ROWS);
  reader.close();
  await again.close();
});

test('a case of a storage version that knows no zstd is added to', async () => {
  const path = join(folder, 'old.duckdb');
  const instance = await DuckDBInstance.create(path, { storage_compatibility_version: 'v0.10.2' });
  const connection = await instance.connect();
  await connection.run(schemaScript.replaceAll(' using compression zstd', ''));
  connection.closeSync();
  instance.closeSync();

  const engine = await openNativeEngine(path);
  const session = await engine.session();
  await write(session, 1);
  await engine.checkpoint();
  expect(await methods(session)).not.toContain('ZSTD');
  expect(await same(session, 1)).toBe(ROWS);
  session.close();
  await engine.close();
});
