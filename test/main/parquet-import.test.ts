import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { parquet } from '../../src/main/sources/parquet/index.ts';
import type { TableName } from '../../src/model/rows/rows.ts';
import { cli, finished } from '../support/command-line.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { largeValue, writeParquetOf } from '../support/parquet-of.ts';
import { type Row, readSource } from '../support/read-source.ts';
import { removeFolder } from '../support/remove-folder.ts';

const entity = (id: string) => `coalesce((select kind || ':' || e.id from entity e where entity_id = ${id}), '')`;
const resource = (id: string) =>
  `coalesce((select ${entity('r.entity')} || ' ' || coalesce(schema_url, '') || ' ' || coalesce(attributes, '')
     from resource r where resource_id = ${id}), '')`;
const name = (id: string) => `coalesce((select text from name where name_id = ${id}), '')`;

/** Rows of a case as readers of files are tested by, with what numbers stand for. */
const asRead: Partial<Record<TableName, string>> = {
  span: `select trace_hi, trace_lo, span_id, parent_id, start_ns, end_ns, ${name('t.name')} as name, ${entity('t.service')} as service,
    ${resource('t.resource')} as resource, ${name('t.scope')} as scope, kind, status, flags, coalesce(trace_state, '') as trace_state,
    coalesce(status_message, '') as status_message, coalesce(attributes, '') as attributes, dropped from span t`,
  span_event: `select trace_hi, trace_lo, span_id, time_ns, ${name('t.name')} as name, coalesce(attributes, '') as attributes from span_event t`,
  log: `select time_ns, observed_ns, severity, ${name('t.severity_text')} as severity_text, ${name('t.event_name')} as event_name,
    ${resource('t.resource')} as resource, ${name('t.scope')} as scope, trace_hi, trace_lo, span_id, flags, coalesce(body, '') as body,
    coalesce(attributes, '') as attributes, dropped from log t`,
  point: `select json_object('metric', metric, 'kind', s.kind, 'unit', coalesce(unit, ''), 'description', coalesce(description, ''),
      'temporality', temporality, 'monotonic', monotonic = 1, 'attributes', coalesce(attributes, ''),
      'entity', ${entity('s.entity')}, 'resource', ${resource('s.resource')})::varchar as series,
    start_ns, time_ns, coalesce(value, 'nan'::double) as value from point join series s on series_id = series`,
  edge: `select ${entity('t.from_entity')} as from_entity, ${name('t.kind')} as kind, ${entity('t.to_entity')} as to_entity from edge t`,
  reject: 'select "at", reason from reject',
};

async function rowsOfCase(path: string, table: TableName): Promise<Row[]> {
  const { engine } = await openCaseFolder(path, { create: false });
  const session = await engine.session();
  const { names, columns, count } = await session.query(asRead[table]!);
  session.close();
  await engine.close();
  return Array.from({ length: count }, (_, row) => Object.fromEntries(names.map((key, i) => [key, columns[i]?.[row]])));
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${one}n` : Number.isNaN(one) ? 'NaN' : one));
/** As sorted texts; of rows that were read only the columns of a case. */
function comparable(rows: readonly Row[], columns: readonly string[]): string[] {
  const series = (row: Row): Row =>
    typeof row.series === 'string'
      ? { ...row, series: Object.entries(JSON.parse(row.series) as object).sort(([a], [b]) => (a < b ? -1 : 1)) }
      : row;
  return rows.map((row) => text(columns.map((column) => series(row)[column]))).sort();
}

/** What is lent to engines from now on, in this test. */
async function watchLoans(): Promise<() => string[]> {
  const folder = await temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => readdirSync(folder).filter((name) => name.startsWith('faultline-import-'));
}

/** The rows that a SELECT answers, or a file holds, go into a case as they are read one by one. */
async function importsAsRead(select: string, present: readonly TableName[]): Promise<void> {
  const file = join(await temporaryFolder(), 'made.parquet');
  await writeParquetOf(file, select);
  await sameRows(file, present);
}

/** Imports a file into a case, where the engine inserts what is plain, and reads it row by row: both must be the same rows. */
async function sameRows(file: string, present: readonly TableName[]): Promise<void> {
  const lent = await watchLoans();
  const { rows } = await readSource(parquet, readFileSync(file), { name: basename(file) });
  const core = await openTestCore();
  const [source] = core.sources(await core.import([file]));
  await core.close();
  const sorted = Object.fromEntries(
    Object.keys(asRead).map((table) => [table, rows[table as TableName].length > 0] as const),
  );
  expect(present.filter((table) => !sorted[table])).toEqual([]);
  for (const table of Object.keys(asRead) as TableName[]) {
    const stored = await rowsOfCase(core.path, table);
    const columns = Object.keys(stored[0] ?? {});
    expect(stored.length, table).toBe(rows[table].length);
    expect(comparable(stored, columns), table).toEqual(comparable(rows[table], columns));
  }
  expect(source?.rejects).toBe(rows.reject.length);
  expect(lent()).toEqual([]);
}

/** Whatever is odd meets whatever else is. */
const by = (column: number, values: number): string => `(hash(i, ${column}) % ${values})::integer`;

test('spans that the engine inserts are those that are read row by row, whatever is odd about some', async () => {
  await importsAsRead(
    `select
      case ${by(1, 80)} when 7 then 'abc' when 8 then 'not hex' when 9 then null when 10 then repeat('0', 32)
        when 21 then '0000000000000000000000000000_' || printf('%03x', i % 999) when 22 then 'é' || printf('%030x', i + 1)
        when 23 then upper(printf('%032x', 250 * i + 171)) when 24 then ' ' || printf('%031x', i) when 25 then printf('%032x', i + 1) else md5(i::varchar) end as trace_id,
      case ${by(2, 80)} when 31 then '0x' || printf('%014x', i) when 32 then '+' || printf('%015x', i) when 33 then '' when 34 then repeat('f', 16)
        when 35 then printf('%015x.', i) else printf('%016x', i + 1) end as span_id,
      case ${by(50, 80)} when 41 then 'x' when 42 then '____________abcd' when 43 then repeat('0', 16)
        when 1 then null when 2 then '' else printf('%016x', i) end as parent_span_id,
      case ${by(3, 4)} when 0 then null when 1 then '' else 'name ' || (i % 7) end as name,
      case ${by(4, 3)} when 0 then 'SPAN_KIND_SERVER' when 1 then '3' else null end as kind,
      case ${by(5, 80)} when 11 then 0 when 12 then -5 when 13 then 9223372036854775807 when 14 then null else 1700000000000000000 + i * 1000000 end as start_ns,
      case ${by(6, 80)} when 51 then -1 when 52 then null when 53 then 9223372036854775807 else 5 + i % 10 end as duration_ns,
      case ${by(7, 5)} when 0 then 'STATUS_CODE_ERROR' when 1 then '' else null end as status_code,
      case ${by(8, 50)} when 0 then 'it failed: ü' when 1 then '' else null end as status_message,
      case ${by(9, 6)} when 0 then null when 1 then '' else 'service-' || (i % 4) end as service,
      case ${by(10, 4)} when 0 then '{"host.name":"node-' || (i % 3) || '","k8s.pod.name":"pod-' || (i % 5) || '"}' when 1 then '' else null end as resource_attributes,
      case ${by(11, 3)} when 0 then 'scope' else null end as scope_name,
      case ${by(12, 40)} when 3 then 4294967296.0 when 4 then -1 when 5 then null else i % 300 end as flags,
      case ${by(13, 80)} when 61 then '[{"key":"k","value":{"stringValue":"v"}}]' when 62 then '{"k":null,"n":1}' when 63 then '{}'
        when 64 then 'no json' when 65 then '{"k":"a:null"}' when 66 then '{"k":' when 67 then '' when 68 then ' {"k":1}' when 70 then '{"k" : null, "n":1}' when 71 then '{"k":"nullable","n":1}'
        when 69 then null else '{"k":"ü ' || i || '","n":' || i || '}' end as attributes,
      case ${by(14, 80)} when 71 then '[{"name":"e","timeUnixNano":"1700000000000000001"}]' when 72 then '[]' when 73 then '' else null end as events
    from range(30000) r(i)`,
    ['span', 'span_event', 'reject', 'edge'],
  );
});

test('logs and points, too', async () => {
  await importsAsRead(
    `select case ${by(15, 20)} when 1 then 0 when 2 then null when 10 then null else 1700000000000000000 + i end as time_unix_nano,
      case ${by(16, 9)} when 1 then 1700000000000000000 when 2 then 0 when 3 then null else 1700000000000000000 + i + 5 end as observed_time_unix_nano,
      case ${by(17, 80)} when 4 then -1 when 5 then 25 when 6 then 9.5 when 7 then null else 9 end as severity_number,
      case ${by(18, 3)} when 0 then 'INFO' when 1 then '' else null end as severity_text,
      case ${by(19, 9)} when 0 then null when 1 then '' else 'line ' || i || ' ü' end as body,
      case ${by(20, 20)} when 0 then printf('%032x', i + 1) when 1 then '' when 2 then 'short' when 3 then repeat('_', 32) else null end as trace_id,
      case ${by(21, 20)} when 0 then printf('%016X', i + 1) when 1 then '' when 2 then repeat('_', 16) else null end as span_id,
      's' || (i % 3) as service_name, case ${by(22, 80)} when 8 then '{"a":null}' when 9 then '[]' else '{"a":1}' end as log_attributes
    from range(9000) r(i)`,
    ['log', 'reject'],
  );
  await importsAsRead(
    `select case ${by(23, 80)} when 1 then '' else 'hw.power' end as metric_name, 1700000000000000000 + i * 1000 as time_unix_nano,
      case ${by(24, 80)} when 2 then 'nan'::double when 3 then null when 4 then 'inf'::double else i / 8 end as value,
      case ${by(25, 4)} when 0 then 'gauge' when 1 then 'sum' else null end as metric_type, 'W' as unit, i % 2 = 0 as is_monotonic,
      case ${by(26, 3)} when 0 then '2' when 1 then 'delta' else null end as aggregation_temporality,
      case ${by(27, 5)} when 0 then 'psu-' || (i % 7) else null end as device, case ${by(28, 2)} when 0 then 's' || (i % 3) else null end as service_name,
      '{"gpu":"' || (i % 4) || '"}' as attributes
    from range(9000) r(i)`,
    ['point', 'reject'],
  );
});

test.each([
  ['clickhouse-traces', ['span', 'span_event', 'edge']],
  ['otel-arrow-spans', ['span']],
] as const)('what others write is inserted as it is read: %s', async (name, present) => {
  await sameRows(join(import.meta.dirname, `../../fixtures/parquet/${name}.parquet`), present);
});

test('units, binary ids, maps and intervals mean the same to the engine', async () => {
  await importsAsRead(
    `select unhex(md5(i::varchar)) as trace_id, unhex(substr(md5((i + 1)::varchar), 1, 16)) as span_id, 'n' as span_name,
       make_timestamp(1700000000000000 + i * 1000) as timestamp, 1500 + i as duration_us, map {'k': 'v' || i, 'host.name': 'node-' || (i % 3)} as resource_attributes,
       {'n': i, 'o': case when i % 7 = 0 then null else 'x' end} as span_attributes from range(2000) r(i)`,
    ['span'],
  );
  await importsAsRead(
    `select uuid()::varchar as ignored, (i + 1)::bigint as trace_id, i + 7 as span_id, 'n' as name, 1700000000.25 + i as start_time, interval (i) millisecond as duration
     from range(2000) r(i)`,
    ['span'],
  );
});

test('rows of 2 KB in pages of 100 MB, as DuckDB writes them, are complete, with progress', async () => {
  const file = join(await temporaryFolder(), 'wide.parquet');
  await writeParquetOf(
    file,
    `select printf('%032x', i + 1) as trace_id, printf('%016x', i + 1) as span_id, 'name' as name,
      1700000000000000000 + i as start_ns, 5 as duration_ns, 's' as service,
      '{"a":"' || repeat(array_to_string([md5((i + k)::varchar) for k in range(6)], ''), 10) || '"}' as attributes
     from range(250000) r(i)`,
    'compression zstd',
  );
  const core = await openTestCore();
  const events = await core.import([file]);
  expect(core.sources(events)[0]?.rows).toEqual({ span: 250_000 });
  const progressEvents = events.flatMap((event) => (event.kind === 'progress' ? [event] : []));
  const within = progressEvents.filter(
    ({ rows, bytes_done, bytes_total }) => rows > 0 && rows < 250_000 && bytes_done < bytes_total,
  );
  expect(within.length).toBeGreaterThan(1);
  await core.close();
  const { engine } = await openCaseFolder(core.path, { create: false });
  const session = await engine.session();
  const found = await session.query(
    'select sum(strlen(attributes))::double, count(distinct span_id)::integer from span',
  );
  expect(found.columns.map(([value]) => value)).toEqual([250_000 * 1928, 250_000]);
  session.close();
  await engine.close();
});

test('a value that takes more memory than there is is refused as such; a file damaged within leaves nothing; the case goes on', async () => {
  const folder = await temporaryFolder();
  const [large, torn, whole] = ['large', 'torn', 'whole'].map((one) => join(folder, `${one}.parquet`)) as [
    string,
    string,
    string,
  ];
  await writeFile(large, largeValue());
  await writeParquetOf(
    whole,
    `select printf('%032x', i + 1) as trace_id, printf('%016x', i + 1) as span_id, 'name' as name,
      1700000000000000000 + i as start_ns, 5 as duration_ns, 's' as service, '{"a":"' || md5(i::varchar) || '"}' as attributes from range(300000) r(i)`,
  );
  const bytes = readFileSync(whole);
  bytes.fill(0x5a, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 4096);
  await writeFile(torn, bytes);
  const core = await openTestCore();
  expect(await core.import([large])).toContainEqual(
    expect.objectContaining({ problem: expect.objectContaining({ code: 'parquet.too_large' }) }),
  );
  const [problem] = (await core.import([torn])).flatMap((event) => (event.kind === 'problem' ? [event.problem] : []));
  expect(problem).toMatchObject({ code: 'parquet.damaged', message: expect.stringContaining('torn.parquet') });
  expect(problem?.message).not.toContain(tmpdir());
  const events = await core.import([whole]);
  expect(core.sources(events).map(({ name, rows }) => [name, rows])).toEqual([['whole.parquet', { span: 300_000 }]]);
  await core.close();
  const { engine } = await openCaseFolder(core.path, { create: false });
  const session = await engine.session();
  expect((await session.query('select count(*)::integer from span')).columns).toEqual([[300_000]]);
  session.close();
  await engine.close();
});

const SHARED_MEMORY = '/dev/shm';
const isElsewhere = existsSync(SHARED_MEMORY) && statSync(SHARED_MEMORY).dev !== statSync(tmpdir()).dev;

test.skipIf(!isElsewhere)('a file on another file system is imported, too, and no copy of it stays', async () => {
  const folder = await mkdtemp(join(SHARED_MEMORY, 'faultline-test-'));
  onTestFinished(() => removeFolder(folder));
  const lent = await watchLoans();
  const file = join(folder, 'made.parquet');
  await writeParquetOf(
    file,
    "select printf('%032x', i + 1) as trace_id, printf('%016x', i + 1) as span_id, 'n' as name, i + 1 as start_ns, 5 as duration_ns from range(5000) r(i)",
  );
  const core = await openTestCore();
  expect(core.sources(await core.import([file]))[0]?.rows).toEqual({ span: 5000 });
  await core.close();
  expect(lent()).toEqual([]);
});

test('the odd rows of a large file are found wherever they lie', async () => {
  const file = join(await temporaryFolder(), 'many.parquet');
  const count = 1_100_000;
  await writeParquetOf(
    file,
    `select printf('%032x', i + 1) as trace_id, case when i in (0, 500000, ${count - 1}) then 'none' when i = 77 then 'ab' else printf('%016x', i + 1) end as span_id,
       'n' as name, i + 1 as start_ns, 5 as duration_ns from range(${count}) r(i)`,
  );
  const core = await openTestCore();
  expect(core.sources(await core.import([file]))[0]).toMatchObject({ rows: { span: count - 3 }, rejects: 3 });
  await core.close();
  const rejects = await rowsOfCase(core.path, 'reject');
  expect(rejects.map(({ at }) => Number(at)).sort((a, b) => a - b)).toEqual([0, 500_000, count - 1]);
});

test('columns of hostile names are columns like others', async () => {
  const file = join(await temporaryFolder(), 'names.parquet');
  await writeParquetOf(
    file,
    `select printf('%032x', i + 1) as trace_id, printf('%016x', i + 1) as span_id, 'n' as "name", i + 1 as start_ns, 5 as duration_ns,
       'x' as "service, name", 'y' as "a""b'; drop table span; --", 'z' as "in_file", {'k, l': 's'} as "m, struct" from range(3000) r(i)`,
  );
  const core = await openTestCore();
  expect(core.sources(await core.import([file]))[0]).toMatchObject({ rows: { span: 3000 }, rejects: 0 });
  const taken = join(await temporaryFolder(), 'taken.parquet');
  await writeParquetOf(
    taken,
    "select 'a' as file_row_number, 'b' as trace_id, 'c' as span_id, 1 as start_ns, 5 as duration_ns",
  );
  expect(await core.import([taken])).toContainEqual(
    expect.objectContaining({ problem: expect.objectContaining({ code: 'parquet.damaged' }) }),
  );
});

test('times with and without a zone mean the same wherever the machine stands', async () => {
  const folder = await temporaryFolder();
  const [file, path] = [join(folder, 'zones.parquet'), join(folder, 'zones.faultline')];
  await writeParquetOf(
    file,
    `select printf('%032x', i + 1) as trace_id, printf('%016x', i + 1) as span_id, 'n' as name,
      timestamptz '2024-03-01 00:00:00+00' + interval (i) minute as start_time, timestamp '2024-03-01 00:00:01' + interval (i) minute as end_time
     from range(100) r(i)`,
  );
  const run = (...args: string[]) =>
    finished(
      spawn(process.execPath, [cli, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, TZ: 'Asia/Tokyo' },
      }),
    );
  expect((await run('import', path, file)).code).toBe(0);
  const { out } = await run(
    'query',
    path,
    'select min(start_ns) as first, min(end_ns - start_ns) as took, max(end_ns - start_ns) as longest from span',
    '--format',
    'csv',
  );
  expect(out.trim().split('\n')[1]).toBe('1709251200000000000,1000000000,1000000000');
});
