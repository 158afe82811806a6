import { fail, ProblemError } from '../../../model/problem.ts';
import {
  type BundleTable,
  bundleColumnTypes,
  type TableFile,
  type TableSelect,
} from '../../../model/storage/bundle.ts';
import type { Opening, StoredCase } from '../../../model/storage/case-storage.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { one, rowsOf, upgradeTables } from '../case-file/case-file.ts';
import { wrongValues } from '../case-file/check-values.ts';
import { RATES_KEY } from '../case-file/stored-rates.ts';
import { MADE_FROM } from '../facts/call-paths.ts';
import { SCHEMA_VERSION, schemaScript, storedTables } from '../tables/index.ts';
import { rowsInOrder } from './rows-in-order.ts';

/** By which a table is sorted first, so that a reader of a window needs few row groups; the first one present. */
const timeColumns = ['time_ns', 'start_ns', 'created_ns', 'from_ns', 'made_at_ns', 'slice', 'valid_from_ns'];

/**
 * Selects for a bundle. Rows are sorted by time and then by all columns: equal rows give equal bytes.
 * @param conditions of rows that go along, by table, as SQL over its alias `t`; others go along whole
 */
export async function bundleSelects(
  session: Session,
  conditions: Readonly<Record<string, string>> = {},
): Promise<TableSelect[]> {
  const columns = await columnsOf(session, storedTables);
  const selects: TableSelect[] = [];
  for (const table of storedTables) {
    const own = columns.get(table) ?? [];
    // Of an older schema, where a damaged case is repaired: its upgrade makes the table.
    if (own.length === 0) continue;
    const first = timeColumns.find((name) => own.some((column) => column.name === name));
    const names = own.map(({ name }) => name);
    const order = [...(first ? [first] : []), ...names.filter((name) => name !== first)].map(quoted).join(', ');
    // The key that marks call paths as present is omitted; they are rebuilt on demand.
    const where = table === 'meta' ? `key not in ('${MADE_FROM}', '${RATES_KEY}')` : (conditions[table] ?? 'true');
    const rows = (part: string) =>
      `select ${names.map(quoted).join(', ')} from ${table} t where (${where})${part === 'true' ? '' : ` and ${part}`}`;
    const ordered = first ? await rowsInOrder(session, { rows, key: quoted(first), order }) : undefined;
    selects.push({ table, columns: own, ...(ordered ?? { sql: `${rows('true')} order by ${order}` }) });
  }
  return selects;
}

const quoted = (name: string): string => `"${name}"`;

async function columnsOf(
  session: Session,
  tables: readonly string[],
): Promise<ReadonlyMap<string, BundleTable['columns']>> {
  const found = rowsOf<{ table: string; name: string; type: BundleTable['columns'][number]['type'] }>(
    await session.query(
      `select table_name as "table", column_name as name, data_type as type from duckdb_columns()
       where schema_name = 'main' and not internal order by table_name, column_index`,
    ),
  );
  return new Map(
    tables.map((table) => [
      table,
      found.filter((column) => column.table === table).map(({ name, type }) => ({ name, type })),
    ]),
  );
}

/** Fills the empty database of a bundle that is opened for the first time. @throws as {@link loadTables} */
export async function loadBundle({ bundle, engine }: StoredCase, opening?: Opening): Promise<void> {
  if (!bundle) return;
  const session = await engine.session();
  try {
    await loadTables(session, bundle.schema_version, bundle.tables, opening);
  } finally {
    session.close();
  }
  await engine.checkpoint();
}

/**
 * Creates the case of a bundle in an empty database; an older schema is upgraded. Files are not trusted: columns, types, counts
 * and keys must match the schema.
 * @throws ProblemError bundle.newer_schema, bundle.damaged
 */
async function loadTables(
  session: Session,
  version: number,
  tables: readonly TableFile[],
  opening?: Opening,
): Promise<void> {
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  const loading: Loading = {
    signal: opening?.signal,
    onRows: (rows) => {
      done += rows;
      opening?.onProgress('loading', done, total);
    },
  };
  if (version > SCHEMA_VERSION)
    fail(
      'bundle.newer_schema',
      `this bundle was written by a newer Faultline (schema ${version}, supported: ${SCHEMA_VERSION})`,
      {
        hint: 'update Faultline, or ask for a bundle written by this version',
      },
    );
  for (const table of tables) await checkFile(session, table);
  await session.execute('begin transaction');
  try {
    loading.onRows(0);
    if (version === SCHEMA_VERSION) await loadCurrent(session, tables, loading);
    else await loadOlder(session, version, tables, loading);
    const stored = await one<{ value: string }>(session, "select value from meta where key = 'schema_version'");
    if (stored?.value !== String(SCHEMA_VERSION))
      damaged('meta', `its schema version is ${stored?.value ?? 'missing'}`);
    await session.execute('commit');
  } catch (error) {
    await session.execute('rollback');
    loading.signal?.throwIfAborted();
    if (error instanceof ProblemError) throw error;
    damaged('tables', (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '');
  }
}

function damaged(table: string, why: string): never {
  return fail('bundle.damaged', `invalid bundle: ${table}: ${why}`, {
    hint: 'faultline verify shows whether it was changed since it was written',
  });
}

/** The file's own columns and rows match the manifest. Reads its footer only. */
async function checkFile(session: Session, { table, rows, columns, path }: TableFile): Promise<void> {
  if (columns.some(({ type }) => !bundleColumnTypes.includes(type))) damaged(table, 'a column has an unknown type');
  try {
    const file = await session.describeParquet(path);
    const found = file.columns.map(({ name, type }) => `${name} ${type}`).join(', ');
    const columnTypes = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
    if (found !== columnTypes) damaged(table, `its columns are ${found.slice(0, 500)}, in the manifest ${columnTypes}`);
    if (file.rows !== rows) damaged(table, `it has ${file.rows} rows, in the manifest ${rows}`);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    damaged(
      table,
      `it cannot be read as Parquet (${(error instanceof Error ? error.message : String(error)).split('\n')[0]})`,
    );
  }
}

/** Maximum size of text of a table. */
const BELIEVED_TEXT_BYTES = 4 * 2 ** 30;

interface Loading {
  readonly signal: AbortSignal | undefined;
  /** Called after each table. */
  onRows(rows: number): void;
}

async function loadCurrent(session: Session, tables: readonly TableFile[], loading: Loading): Promise<void> {
  await session.execute(schemaScript);
  const tablesByName = new Map(tables.map((table) => [table.table, table]));
  const stranger = tables.find(({ table }) => !storedTables.includes(table));
  if (stranger) damaged(stranger.table, 'a case has no such table');
  for (const [table, columns] of await columnsOf(session, storedTables)) {
    const found = tablesByName.get(table) ?? damaged(table, 'it is missing');
    sameColumns(table, found.columns, columns);
    await insert(session, found, loading);
  }
}

function sameColumns(table: string, found: BundleTable['columns'], wanted: BundleTable['columns']): void {
  const text = (columns: BundleTable['columns']) => columns.map(({ name, type }) => `${name} ${type}`).join(', ');
  if (text(found) !== text(wanted)) damaged(table, `its columns are ${text(found)}, a case has ${text(wanted)}`);
}

async function insert(session: Session, { table, rows, columns, path }: TableFile, { signal, onRows }: Loading) {
  await session.insertParquet(table, { path, columns }, { mostTextBytes: BELIEVED_TEXT_BYTES, signal });
  const counted = await one<{ n: bigint }>(session, `select count(*) as n from "${table}"`);
  if (Number(counted?.n) !== rows) damaged(table, `${counted?.n} of ${rows} rows could be read`);
  const wrong = await wrongValues(session, table, columns);
  if (wrong !== null) damaged(table, wrong);
  onRows(rows);
}

/**
 * Tables of an older schema are made as their files are, upgraded by the script that upgrades an older case, and must then be
 * those of this schema; their rows go into tables with its keys.
 */
async function loadOlder(
  session: Session,
  version: number,
  tables: readonly TableFile[],
  loading: Loading,
): Promise<void> {
  for (const table of tables) {
    const columns = table.columns.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ');
    await session.execute(`create table "${table.table}" (${columns})`);
    await insert(session, table, loading);
  }
  await session.execute(upgradeTables(version));
  const upgraded = await columnsOf(session, storedTables);
  const given = new Set([...storedTables, ...tables.map(({ table }) => table)]);
  for (const table of given) if (!storedTables.includes(table)) damaged(table, 'a case has no such table');
  const aside = (table: string): string => `upgraded_${table}`;
  for (const table of storedTables) {
    if (upgraded.get(table)?.length === 0) damaged(table, 'it is missing');
    await session.execute(`alter table "${table}" rename to "${aside(table)}"`);
  }
  await session.execute(schemaScript);
  for (const [table, columns] of await columnsOf(session, storedTables)) {
    const found = upgraded.get(table) ?? [];
    const byName = (one: { readonly name: string }, other: { readonly name: string }) =>
      one.name < other.name ? -1 : 1;
    sameColumns(table, [...found].sort(byName), [...columns].sort(byName));
    const names = columns.map(({ name }) => quoted(name)).join(', ');
    await session.query(`insert into "${table}" (${names}) select ${names} from "${aside(table)}"`, [], loading.signal);
    await session.execute(`drop table "${aside(table)}"`);
  }
}
