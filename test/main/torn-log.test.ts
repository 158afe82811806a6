import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OpenCase } from '../../src/core/api/cases/open-case.ts';
import { mechanismsInUse, thresholdsInUse } from '../../src/core/api/cases/own-file.ts';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { readDetails } from '../../src/main/sources/event-details/read-details.ts';
import { readPlaces } from '../../src/main/sources/workload/append-places.ts';
import { temporaryFolder } from '../support/core.ts';

/** More than two row groups: they are on the disk before their transaction ends. */
const SPANS = 300_000;

/** Commits a source of many spans and dies before anything is moved out of the log. */
const child = (database: string) => `
  import { DuckDBInstance } from '@duckdb/node-api';
  const instance = await DuckDBInstance.create(${JSON.stringify(database)}, { checkpoint_threshold: '1GB' });
  const session = await instance.connect();
  const rows = async (sql) => (await session.runAndReadAll(sql)).getRows();
  const columns = async (table) => (await rows("select column_name, data_type from duckdb_columns() where table_name = '" + table + "' order by column_index"));
  const some = ([name, type]) => name === 'source_id' ? '7' : type === 'VARCHAR' ? "'text ' || i" : type === 'BOOLEAN' ? 'false' : '(i % 100)::' + type;
  const insert = async (table, count) => session.run('insert into ' + table + ' select ' + (await columns(table)).map(some).join(', ') + ' from range(' + count + ') t(i)');
  await session.run('begin');
  await insert('span', ${SPANS});
  await insert('source', 1);
  await session.run('commit');
  process.kill(process.pid, 'SIGKILL');`;

const noQueries = { has: async () => false, add: async () => undefined };

async function spansAndSources(folder: string): Promise<unknown[]> {
  const opened = await OpenCase.from(await openCaseFolder(folder, { create: false }), {
    mechanisms: mechanismsInUse(async () => null),
    thresholds: thresholdsInUse(async () => null),
    queries: noQueries,
    readDetails,
    readPlaces,
  });
  try {
    return await opened.withSession(async (session) => {
      const { columns } = await session.query(
        'select (select count(*) from span)::integer, (select count(*) from source)::integer',
      );
      return columns.map((column) => column[0]);
    });
  } finally {
    await opened.close();
  }
}

test.each([0, 1, 12])(
  'a commit of which the last %i bytes were never written is there whole or not at all',
  async (cut) => {
    const folder = join(await temporaryFolder(), 'torn.faultline');
    await (
      await OpenCase.from(await openCaseFolder(folder, { create: true }), {
        mechanisms: mechanismsInUse(async () => null),
        thresholds: thresholdsInUse(async () => null),
        queries: noQueries,
        readDetails,
        readPlaces,
      })
    ).close();
    const log = join(folder, 'case.duckdb.wal');
    const died = spawnSync(process.execPath, ['--input-type=module', '-e', child(join(folder, 'case.duckdb'))], {
      encoding: 'utf8',
    });
    expect([died.signal, died.stderr]).toEqual(['SIGKILL', '']);
    await truncate(log, (await stat(log)).size - cut);
    const whole = cut === 0 ? [SPANS, 1] : [0, 0];
    expect(await spansAndSources(folder)).toEqual(whole);
    expect(existsSync(log)).toBe(false);
    expect(await spansAndSources(folder)).toEqual(whole);
  },
);
