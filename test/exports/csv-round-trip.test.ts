import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvCell, csvLines, csvText } from '../../src/base/csv.ts';
import { csvSelect } from '../../src/core/store/copies/csv-select.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { tableCsv } from '../../src/model/rows/csv-table.ts';
import { faultline } from '../support/command-line.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { finished } from '../support/exports.ts';
import { hostileOtlp, hostileTexts } from '../support/hostile-texts.ts';

const fixtures = join(import.meta.dirname, '../../fixtures');
const FORMULA = /^[\0-\x20\u00a0\ufeff]*[=+\-@＝＋－＠]/;

/** As in docs/export.md: one apostrophe before a formula is ours. */
const unguarded = (cell: string): string => cell.replace(/^'(?='*[\0-\x20\u00a0\ufeff]*[=+\-@＝＋－＠])/, '');

/** RFC 4180 read character by character; null: nothing stood there. */
function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  for (let at = 0; at < text.length; ) {
    let cell: string | null = null;
    if (text[at] === '"') {
      cell = '';
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (text[at] === '"') at++;
        cell += text[at];
      }
      at++;
    } else {
      const end = /[,\r]/.exec(text.slice(at))?.index ?? text.length - at;
      if (end > 0) cell = text.slice(at, at + end);
      at += end;
    }
    row.push(cell);
    if (text[at] === ',') {
      at++;
      if (text[at] === '\r') row.push(null);
      else continue;
    }
    expect(text.slice(at, at + 2)).toBe('\r\n');
    at += 2;
    rows.push(row);
    row = [];
  }
  return rows;
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: fc.constantFrom("'", '=', '@', ' ', '\0', '"', ',', '\r', '\n', '＝', '\ufeff', 'a', '-') }),
);

test('any text comes back from a cell, and none begins a formula', async () => {
  await fc.assert(
    fc.property(fc.array(fc.array(anyText, { minLength: 2, maxLength: 3 }), { maxLength: 5 }), (inputRows) => {
      const read = parseCsv(csvLines(inputRows.map((row) => row.map(csvCell))));
      expect(read.map((row) => row.map((cell) => unguarded(cell ?? 'null')))).toEqual(inputRows);
      for (const cell of read.flat()) expect(FORMULA.test(cell ?? '')).toBe(false);
    }),
    { numRuns: 2000 },
  );
  expect(csvText('half \ud800 of one')).toBe('half \ufffd of one');
  expect(
    csvLines([
      [csvCell(null), csvCell('')],
      [csvCell(-1), csvCell(true)],
      [csvCell(10n ** 20n), 'x'],
    ]),
  ).toBe(',""\r\n-1,true\r\n100000000000000000000,x\r\n');
  expect(csvLines([['']])).toBe('""\r\n');
});

test('the engine writes cells as the window does', async () => {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  await session.execute('create table t (n integer, c varchar)');
  const texts = [...hostileTexts, ...fc.sample(anyText, 2000)].map((text) => text.toWellFormed());
  await session.query(
    `insert into t select i, decode(from_base64(s)) from (select unnest(range(${texts.length})) as i, unnest(string_split('${texts.map((text) => Buffer.from(text).toString('base64')).join('|')}', '|')) as s)`,
  );
  const { sql } = csvSelect('t', [
    { name: 'n', type: 'INTEGER' },
    { name: 'c', type: 'VARCHAR' },
  ]);
  const lines = await session.query(`select line from (${sql})`);
  const expected = texts.map((text, n) => `${n},${csvText(text)}\r\n`);
  expect([...(lines.columns[0] ?? [])].sort()).toEqual(expected.sort());
  session.close();
  await engine.close();
});

async function csvOf(core: TestCore, table: string): Promise<string> {
  const path = join(await temporaryFolder(), 'out.csv');
  core.exportTo(path, true);
  await finished(core.api['export.csv']({ table }));
  return path;
}

/** What DuckDB reads of the file beside what the case answers. */
async function readBack(path: string, types: Readonly<Record<string, string>>): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const columns = Object.entries(types).map(([name, type]) => `'${name}': '${type}'`);
  const reader = await connection.runAndReadAll(
    `select * from read_csv('${path}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', new_line = '\\r\\n',
      allow_quoted_nulls = false, max_line_size = 10000000, columns = {${columns.join(', ')}})`,
  );
  const rows = reader.getRowsJson() as unknown[][];
  connection.closeSync();
  instance.closeSync();
  return rows;
}

test.each([
  ['events', ['incidents/pdu-sag', 'kubernetes', 'redfish']],
  ['spans', ['otlp/jaeger-ui', 'jaeger-json']],
  ['metrics', ['dcgm', 'incidents/pdu-sag']],
  ['logs', ['otlp/fluent-bit', 'otlp/gcp-ops']],
  ['topology', ['incidents/pdu-sag', 'topology-csv']],
  ['span', ['otlp/jaeger-ui']],
])('%s as CSV is what read_csv of DuckDB makes of it again', async (table, files) => {
  const core = await openTestCore();
  await core.import(files.map((file) => join(fixtures, file)));
  const path = await csvOf(core, table);
  const relation = (await core.api['sql.schema']({})).find(({ name }) => name === table);
  const types = Object.fromEntries((relation?.columns ?? []).map(({ name, type }) => [name, type]));
  const back = await readBack(path, types);
  const queried = await core.api['query.sql']({ sql: `select * from "${table}"`, limit: 1_000_000 });
  const comparable = (row: readonly unknown[], plain: (text: string) => string = (text) => text): string =>
    JSON.stringify(row.map((cell) => (cell === null ? null : plain(String(cell)))));
  expect(queried.rows.length).toBeGreaterThan(0);
  expect(back.map((row) => comparable(row, unguarded)).sort()).toEqual(
    queried.rows.map((row) => comparable(row)).sort(),
  );
});

test('hostile texts go through whole, times are RFC 3339 with nanoseconds, rows lie in order', async () => {
  const core = await openTestCore();
  await core.importJson(hostileOtlp);
  const rows = parseCsv(await readFile(await csvOf(core, 'spans'), 'utf8'));
  const [head, ...spans] = rows as [(string | null)[], ...(string | null)[][]];
  const at = (name: string): number => head.indexOf(name);
  expect(spans.map((row) => unguarded(row[at('name')] ?? ''))).toEqual(hostileTexts);
  expect(spans[1]?.[at('start_utc')]).toBe('2026-01-01T00:00:00.001000001Z');
  const answer = await core.api['query.sql']({
    sql: 'select start_utc, name, 1::hugeint as n, null as nothing from spans order by start_ns',
  });
  const parsed = parseCsv(tableCsv(answer));
  expect(parsed[2]?.[0]).toBe('2026-01-01T00:00:00.001000001Z');
  // The engine's client drops a byte order mark where a text of an answer begins with it; files of the engine's own keep it.
  const shown = hostileTexts.map((text) => text.replace(/^\ufeff/, ''));
  expect(parsed.slice(1).map((row) => unguarded(row[1] ?? ''))).toEqual(shown);
  expect(parsed[1]?.slice(2)).toEqual(['1', null]);
});

test('a table that is none is named with those that are; nothing is left behind', async () => {
  const core = await openTestCore();
  await core.import([join(fixtures, 'incidents/pdu-sag')]);
  const path = join(await temporaryFolder(), 'out.csv');
  core.exportTo(path, true);
  await expect(finished(core.api['export.csv']({ table: 'meta" union select 1 --' }))).rejects.toMatchObject({
    problem: { code: 'export.unknown_table', hint: expect.stringContaining('spans') },
  });
  await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('the command line writes all of them, to a file or to a pipe', async () => {
  const core = await openTestCore();
  await core.import([join(fixtures, 'incidents/pdu-sag')]);
  await core.close();
  const folder = await temporaryFolder();
  const csv = await faultline('export', core.path, '--csv', 'events');
  expect([csv.code, csv.err]).toEqual([0, '']);
  expect(csv.out.split('\r\n').length).toBe(7);
  const file = join(folder, 'events.csv');
  expect((await faultline('export', core.path, '--csv', 'events', '--out', file)).out).toContain('5 rows');
  expect(await readFile(file, 'utf8')).toBe(csv.out);
  const trace = join(folder, 'window.json');
  const result = await faultline(
    'export',
    core.path,
    '--perfetto',
    trace,
    '--from',
    '2026-01-10T12:11:30Z',
    '--entities',
    'pdu:PDU-B',
  );
  expect(result.out).toMatch(/wrote .*window\.json: 0 spans, \d+ events, \d+ points/);
  const again = join(folder, 'again.faultline');
  expect((await faultline('import', again, trace)).code).toBe(0);
  await writeFile(join(folder, 'mine.txt'), '');
  const full = await faultline('export', core.path, '--parquet', folder);
  expect([full.code, full.err]).toEqual([1, expect.stringContaining('not empty')]);
  expect((await faultline('export', core.path, '--parquet', join(folder, 'tables'))).out).toContain(
    'events.parquet: 5 rows',
  );
  expect((await faultline('export', core.path, '--csv', 'events', '--parquet', folder)).code).toBe(2);
  expect((await faultline('export', core.path)).code).toBe(2);
});
