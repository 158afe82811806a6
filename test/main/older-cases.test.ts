import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../src/core/store/tables/index.ts';
import { caseFolders } from '../../src/main/engine/case-folders.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { olderDatabase } from '../../src/model/storage/case-storage.ts';
import { faultline } from '../support/command-line.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/cases');
const schemas = Array.from({ length: SCHEMA_VERSION }, (_, i) => i + 1);

/** The case as the Faultline of that schema left it. */
async function olderCase(schema: number): Promise<{ readonly path: string; readonly database: Buffer }> {
  const path = join(await temporaryFolder(), `schema-${schema}.faultline`);
  const database = zstdDecompressSync(await readFile(join(fixtures, `schema-${schema}.duckdb.zst`)));
  await mkdir(join(path, 'attachments'), { recursive: true });
  await writeFile(join(path, 'case.duckdb'), database);
  return { path, database };
}

async function schemaIn(file: string): Promise<unknown> {
  const engine = await openNativeEngine(file);
  const session = await engine.session();
  try {
    return (await session.query("select value from meta where key = 'schema_version'")).columns[0]?.[0];
  } finally {
    session.close();
    await engine.close();
  }
}

test.each(schemas)(
  'a case of schema %i opens with its rows and its verdict, and stays as it was beside',
  async (schema) => {
    const { path } = await olderCase(schema);
    const core = await openTestCore(path);
    expect(await core.api['case.current']({})).toMatchObject({
      schema_version: SCHEMA_VERSION,
      rows: { event: 5, point: 910, edge: schema === 1 ? 9 : 8 },
      rejects: 1,
    });
    const [incident] = await core.api['incidents.list']({});
    expect(incident?.incident.hypotheses[0]).toMatchObject({
      type: 'voltage_sag',
      subject: { kind: 'pdu', id: 'PDU-B' },
    });
    await core.close();
    const kept = (await readdir(path)).filter((name) => name.endsWith('.duckdb') && name !== 'case.duckdb');
    expect(kept).toEqual(schema === SCHEMA_VERSION ? [] : [olderDatabase(schema)]);
    for (const name of kept) expect(await schemaIn(join(path, name))).toBe(String(schema));
    expect(await schemaIn(join(path, 'case.duckdb'))).toBe(String(SCHEMA_VERSION));
  },
);

test('an older case that is recent stays open once, and is not kept a second time', async () => {
  const { path, database } = await olderCase(5);
  const storage = caseFolders(await temporaryFolder());
  const before = await storage.open(path);
  await before.engine.close();
  const after = await before.keepOlder!(5);
  expect(await storage.open(path)).toBe(after);
  await after.engine.close();
  expect((await readFile(join(path, olderDatabase(5)))).equals(database)).toBe(true);
  const opened = await openTestCore(path);
  // Sources mentions it.
  expect((await opened.api['case.current']({}))?.older_copies).toEqual([olderDatabase(5)]);
  await opened.close();
  const names = await readdir(path);
  await (await openTestCore(path)).close();
  expect(await readdir(path)).toEqual(names);
});

test('the command line states where an older case is kept, once', async () => {
  const { path } = await olderCase(3);
  const first = await faultline('info', path);
  expect([first.code, first.err]).toEqual([0, expect.stringContaining('stays as it was in case.schema-3.duckdb')]);
  expect((await faultline('info', path)).err).not.toContain('case.schema');
});

test('an older case that cannot be copied is not upgraded', async () => {
  const { path, database } = await olderCase(6);
  // A folder has the name of the copy.
  await mkdir(join(path, olderDatabase(6), 'taken'), { recursive: true });
  const { code, err } = await faultline('info', path);
  expect([code, err.trim().split('\n').at(-1)]).toEqual([
    1,
    expect.stringMatching(/^faultline: .*case\.schema-6\.duckdb/),
  ]);
  expect((await readFile(join(path, 'case.duckdb'))).equals(database)).toBe(true);
  expect((await readdir(path)).sort()).toEqual(['attachments', 'case.duckdb', olderDatabase(6)]);
});
