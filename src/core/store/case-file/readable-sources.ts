import { fail } from '../../../model/problem.ts';
import type { Engine, Session } from '../../../model/storage/engine.ts';
import { storedTables } from '../tables/index.ts';
import { rowsOf } from './case-file.ts';
import { readParts } from './foreign-parts.ts';
import { type ReadableAnnotations, readableAnnotations } from './readable-annotations.ts';

/** Entities and series: shared by data sources, so they are recovered completely or not at all. */
const shared: ReadonlySet<string> = new Set(['alias', 'entity', 'name', 'resource', 'series']);

interface SourceRow {
  readonly source_id: number;
  readonly name: string;
  readonly digest: string;
  readonly bytes: bigint;
}

/** Readable parts of a damaged case. */
export interface Readable {
  readonly schema_version: number;
  /** Sources of which every row can be read. */
  readonly readable: readonly SourceRow[];
  readonly lost: readonly SourceRow[];
  /** Tables of which each row is of one source. */
  readonly owned: readonly string[];
  readonly annotations: ReadableAnnotations;
}

/** A database that refuses everything after it found damage is opened anew. */
type Reopen = () => Promise<Engine>;

/**
 * Takes out of a copy of a case what no Faultline puts into one: macros that answer in place of the engine's functions, views that
 * never end. One may need another, so that they go by and by.
 * @returns what can go only with rows
 */
async function withoutForeign(session: Session): Promise<string[]> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const found = (await readParts(session)).foreign;
    if (found.length === 0 || found.length === before) return found.map(({ kind, name }) => `the ${kind} ${name}`);
    before = found.length;
    for (const { drop } of found) if (drop !== null) await session.execute(drop).catch(() => undefined);
  }
}

/**
 * Reads every row once, by table and source.
 * @returns the engine that is open at the end as well
 * @throws ProblemError case.beyond_repair
 */
export async function readableSources(
  opened: Engine,
  reopen: Reopen,
): Promise<{ readonly engine: Engine; readonly readable: Readable }> {
  let engine = opened;
  /** @returns null where the answer cannot be read */
  const runQuery = async <T>(sql: string): Promise<T[] | null> => {
    const session = await engine.session();
    const rows = await session.query(sql).then(rowsOf<T>, () => null);
    session.close();
    if (rows === null) engine = await reopen();
    return rows;
  };
  const session = await engine.session();
  const [foreign] = await withoutForeign(session).catch(() => ['the unreadable list of its tables']);
  session.close();
  if (foreign !== undefined) return beyondRepair(foreign, 'is not part of a case');
  const canRead = async (table: string, where = 'true'): Promise<boolean> =>
    (await runQuery(`select bit_xor(hash(t)) from "${table}" t where ${where}`)) !== null;
  const sources = await runQuery<SourceRow>('select source_id, name, digest, bytes from source order by source_id');
  const tables = await runQuery<{ name: string; owned: boolean }>(
    `select table_name as name, bool_or(column_name = 'source_id') as owned from duckdb_columns()
     where schema_name = 'main' and table_name in (select table_name from duckdb_tables()) group by all order by all`,
  );
  const version = await runQuery<{ value: string }>("select value from meta where key = 'schema_version'");
  if (!sources || !tables || !version?.[0]) return beyondRepair('its list of sources');
  const owned = tables
    .filter((one) => one.owned && one.name !== 'source' && !shared.has(one.name))
    .map(({ name }) => name);
  // Derived tables are rebuilt on demand.
  for (const { name } of tables.filter((table) => storedTables.includes(table.name)))
    if (!owned.includes(name) && name !== 'annotation' && !(await canRead(name))) return beyondRepair(name);
  const lost = new Set<number>();
  for (const name of owned) {
    if (await canRead(name)) continue;
    for (const { source_id } of sources)
      if (!lost.has(source_id) && !(await canRead(name, `source_id = ${source_id}`))) lost.add(source_id);
  }
  const readable = {
    schema_version: Number(version[0].value),
    readable: sources.filter(({ source_id }) => !lost.has(source_id)),
    lost: sources.filter(({ source_id }) => lost.has(source_id)),
    owned,
    annotations: await readableAnnotations(runQuery),
  };
  return { engine, readable };
}

function beyondRepair(what: string, why = 'cannot be read'): never {
  return fail('case.beyond_repair', `no part of this case can be recovered: ${what} ${why}`, {
    hint: 'open its bundle if you have one, or import its files again',
  });
}

/** Rows that are kept, by table, as {@link bundleSelects} takes them. Sources that are lost stay in the list. */
export function readableConditions({ readable, owned, annotations }: Readable): Readonly<Record<string, string>> {
  const ids = readable.map(({ source_id }) => source_id).join(', ') || 'null';
  const conditions = owned.map((table) => [table, `t.source_id in (${ids})`] as const);
  return { ...Object.fromEntries(conditions), annotation: annotations.rows === null ? 'true' : 'false' };
}

/** Adds a remark to lost data sources; their files can be imported again. */
export async function markLost(session: Session, { lost }: Readable): Promise<void> {
  for (const { source_id, digest } of lost)
    await session.query("update source set rows = '{}', rejects = 0, digest = $1, remarks = $2 where source_id = $3", [
      `lost:${digest}`,
      JSON.stringify([LOST]),
      source_id,
    ]);
}

const LOST =
  'the case was damaged: rows of this data source were unreadable and are not included; import its file again';
