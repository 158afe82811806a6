import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { rowsOf } from '../src/core/store/case-file/case-file.ts';
import { exchangeOf } from '../src/main/engine/exchange.ts';
import { openNativeEngine } from '../src/main/engine/native-engine.ts';
import type { Api, ProcedureName } from '../src/model/contract/index.ts';
import { ProblemError } from '../src/model/problem.ts';
import { tableMember } from '../src/model/storage/bundle.ts';
import type { Session } from '../src/model/storage/engine.ts';
import { forged, type Member, membersOf, zipBytes } from '../test/support/forged-bundle.ts';
import { type App, incidentFiles, openApp } from './open-app.ts';
import type { HostileInput, Tally, Target } from './target.ts';

const ends = ['-9223372036854775808', '9223372036854775807', '0', '-1', '1', '2147483647'];
/** By the first word of a column's type. */
const values: Readonly<Record<string, readonly string[]>> = {
  BIGINT: ends,
  INTEGER: ['-2147483648', '2147483647', '0', '-1', '999999'],
  UINTEGER: ['0', '4294967295'],
  UBIGINT: ['0', '18446744073709551615'],
  UTINYINT: ['0', '7', '255'],
  DOUBLE: ["'nan'::double", "'inf'::double", "'-inf'::double", '1e308', '-1'],
  VARCHAR: [
    "''",
    "'{'",
    "'null'",
    "'[]'",
    '\'{"a":null}\'',
    "repeat('[', 100000) || repeat(']', 100000)",
    "'nonsense'",
    "chr(8238) || 'x' || chr(27)",
    "repeat('x', 100000)",
  ],
};

/**
 * A bundle with valid hashes whose rows hold what no importer wrote: it is refused whole, or it opens and every question is
 * answered or refused as an expected failure.
 */
export async function valueTarget(): Promise<Target> {
  const app = openApp();
  process.once('exit', () => rmSync(app.root, { recursive: true, force: true }));
  const base = await baseCase(app);
  const inputs = fc
    .record({
      place: fc.constantFrom(...base.places),
      value: fc.nat(),
      share: fc.constantFrom('true', 'rowid = 0', 'rowid % 7 = 0'),
    })
    .map(({ place: { table, column, type }, value, share }): HostileInput => {
      const of = values[type] ?? [];
      const sql = `update "${table}" set "${column}" = ${of[value % of.length]} where ${share}`;
      return { origin: table, path: column, bytes: Buffer.from(sql), siblings: {}, piece: 1 };
    });
  const check = async ({ bytes, origin }: HostileInput, folder: string): Promise<Tally> => {
    const made = await changed(base, { table: origin, sql: Buffer.from(bytes).toString(), folder });
    return made === null ? { rows: 0, rejects: 1 } : runQueries(app, made, base.queryCalls);
  };
  return { id: 'values', inputs, check };
}

interface Base {
  /** The case's folder. */
  readonly path: string;
  /** Of its bundle. */
  readonly members: readonly Member[];
  readonly places: readonly Place[];
  readonly queryCalls: ReadonlyMap<ProcedureName, QueryCall>;
}

async function baseCase(app: App): Promise<Base> {
  const handles = await Promise.all(incidentFiles.map((path) => app.register(path)));
  for await (const _ of app.api['import.run']({ handles, keep: true }));
  const note = { id: 'n', kind: 'note' as const, text: 'n', target: null, at_ns: null, until_ns: null, made_at_ns: 1n };
  await app.api['annotations.change']({ put: [note] });
  const queryCalls = await queryCallsOf(app.api);
  for await (const _ of app.api['bundle.write']({}));
  await app.api['case.close']({});
  const [name = ''] = readdirSync(app.root).filter((one) => one.endsWith('.faultline'));
  const path = join(app.root, name);
  return { path, members: membersOf(readFileSync(app.bundle)), places: await columnsOf(path), queryCalls };
}

interface Place {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

async function withDatabase<T>(path: string, work: (session: Session, exchange: string) => Promise<T>): Promise<T> {
  const engine = await openNativeEngine(join(path, 'case.duckdb'));
  const session = await engine.session();
  try {
    return await work(session, await exchangeOf(engine));
  } finally {
    session.close();
    await engine.close();
  }
}

/** Of tables that hold something, and that a bundle has. */
const columnsOf = (path: string): Promise<Place[]> =>
  withDatabase(path, async (session) => {
    const found = rowsOf<Place>(
      await session.query(
        `select table_name as "table", column_name as "column", data_type as type from duckdb_columns()
         where schema_name = 'main' and table_name in (select table_name from duckdb_tables() where estimated_size > 0)
         order by all`,
      ),
    );
    return found.filter(({ type }) => type in values);
  });

/** @returns a bundle with other rows, null where the schema's own keys refuse them */
function changed(
  { path, members }: Base,
  { table, sql, folder }: { readonly table: string; readonly sql: string; readonly folder: string },
): Promise<string | null> {
  const copy = join(folder, 'copy.faultline');
  cpSync(path, copy, { recursive: true });
  return withDatabase(copy, async (session, exchange) => {
    const file = join(exchange, 'changed.parquet');
    try {
      await session.execute(sql);
      await session.execute(`copy (from "${table}") to '${file}' (format parquet)`);
    } catch {
      return null;
    }
    const content = readFileSync(file);
    const made = join(folder, 'hostile.flb');
    const others = members.map((one) => (one.name === tableMember(table) ? { ...one, content } : one));
    writeFileSync(made, zipBytes(forged(others)));
    return made;
  });
}

type QueryCall = (api: Api) => Promise<unknown>;

/** What a window asks of a case, with what the undisturbed case answered. */
async function queryCallsOf(api: Api): Promise<ReadonlyMap<ProcedureName, QueryCall>> {
  const window = { start_ns: 1_700_000_000_000_000_000n, end_ns: 1_900_000_000_000_000_000n };
  const lanes = (await api['timeline.lanes']({})).map(({ id }) => id);
  const [first] = await api['incidents.list']({});
  return new Map<ProcedureName, QueryCall>([
    ['case.current', (own) => own['case.current']({})],
    ['incidents.list', (own) => own['incidents.list']({})],
    ['timeline.lanes', (own) => own['timeline.lanes']({})],
    ['timeline.data', (own) => own['timeline.data']({ ...window, buckets: 50, lanes })],
    ['timeline.overview', (own) => own['timeline.overview']({ ...window, buckets: 50 })],
    ['timeline.statistics', (own) => own['timeline.statistics']({ ...window, lanes: lanes.slice(0, 8) })],
    ['timeline.silences', (own) => own['timeline.silences']({})],
    ['topology.get', (own) => own['topology.get']({})],
    ['patterns.list', (own) => own['patterns.list']({})],
    ['lifecycle.list', (own) => own['lifecycle.list'](window)],
    ['logs.templates', (own) => own['logs.templates']({ ...window, since_ns: window.start_ns })],
    ['gpus.fleet', (own) => own['gpus.fleet']({ ...window, buckets: 20 })],
    ['search', (own) => own.search({ text: 'pdu' })],
    ['annotations.list', (own) => own['annotations.list']({})],
    ['clocks.list', (own) => own['clocks.list']({})],
    ['traces.search', (own) => own['traces.search']({ query: '{ }' })],
    ['report.render', (own) => own['report.render']({ format: 'markdown' })],
    ['evidence.get', (own) => own['evidence.get']({ ref: first?.steps[0]?.ref ?? 'event:1' })],
    [
      'query.sql',
      (own) =>
        own['query.sql']({
          sql: 'select count(*) from (from events union all by name from spans union all by name from logs)',
          limit: 5,
        }),
    ],
  ]);
}

/** @throws Error which question ended as a bug, and how */
async function runQueries(app: App, path: string, queryCalls: ReadonlyMap<ProcedureName, QueryCall>): Promise<Tally> {
  let refused = 0;
  const expected = (name: string, error: unknown): void => {
    if (!(error instanceof ProblemError))
      throw Object.assign(error instanceof Error ? error : new Error(String(error)), { message: `${name}: ${error}` });
    refused++;
  };
  try {
    await app.api['case.open']({ handle: await app.register(path) });
  } catch (error) {
    expected('case.open', error);
    return { rows: 0, rejects: 1 };
  }
  // What a bundle was unpacked into is another case each time: it must not be left behind.
  try {
    for (const [name, queryCall] of queryCalls)
      await queryCall(app.api).catch((error: unknown) => expected(name, error));
  } finally {
    await app.api['case.close']({});
  }
  return { rows: queryCalls.size - refused, rejects: refused };
}
