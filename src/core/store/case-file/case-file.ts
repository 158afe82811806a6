import { fail } from '../../../model/problem.ts';
import type { Engine, Session, SqlResult } from '../../../model/storage/engine.ts';
import { firstNumber } from '../../../model/storage/engine.ts';
import { SCHEMA_VERSION, schemaScript, upgrades, viewsScript } from '../tables/index.ts';

/**
 * Prepares an engine as a case: creates the tables in an empty one, checks the version of any other.
 * @returns whether it was empty
 */
export async function prepareCase(engine: Engine, name: string): Promise<boolean> {
  const session = await engine.session();
  try {
    const tables = await session.query("select count(*)::integer from duckdb_tables() where table_name = 'meta'");
    if (tables.columns[0]?.[0] === 0) {
      await session.execute(`begin transaction;\n${schemaScript}\n`);
      await session.query("insert into meta values ('schema_version', $1), ('name', $2)", [
        String(SCHEMA_VERSION),
        name,
      ]);
      await session.execute('commit');
      return true;
    }
    const version = await session.query("select value::integer from meta where key = 'schema_version'");
    const found = firstNumber(version);
    if (found > SCHEMA_VERSION) {
      fail(
        'case.newer_schema',
        `this case was written by a newer Faultline (schema ${found}, supported: ${SCHEMA_VERSION})`,
        {
          hint: 'update Faultline, or ask for a bundle written by this version',
        },
      );
    }
    if (found < SCHEMA_VERSION) await upgrade(session, found);
    return false;
  } finally {
    session.close();
  }
}

/** Schema of a case that opening would upgrade; null: it is new, or needs no upgrade. */
export async function olderSchema(session: Session): Promise<number | null> {
  const tables = await session.query("select 1 from duckdb_tables() where table_name = 'meta'");
  if (tables.count === 0) return null;
  const found = firstNumber(await session.query("select value::integer from meta where key = 'schema_version'"));
  return found < SCHEMA_VERSION ? found : null;
}

/** Brings an older case up to this schema, all of it or nothing. */
async function upgrade(session: Session, found: number): Promise<void> {
  await session.execute(`begin transaction;\n${upgradeTables(found)}\n${viewsScript}\ncommit;`);
}

/** Upgrade script of the tables of an older schema; views come after it. */
export const upgradeTables = (found: number): string =>
  `${upgrades.slice(found - 1).join('\n')}\nupdate meta set value = '${SCHEMA_VERSION}' where key = 'schema_version';`;

/** Rows of a small answer as objects. */
export function rowsOf<T>(result: SqlResult): T[] {
  const { names, columns } = result;
  return Array.from({ length: result.count }, (_, row) => {
    const object: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) object[names[i]!] = columns[i]?.[row];
    return object;
  }) as T[];
}

/** A numeric column of an answer as doubles; NULL is NaN. */
export function numbersOf(result: SqlResult, name: string): Float64Array<ArrayBuffer> {
  const column = result.columns[result.names.indexOf(name)] ?? [];
  const numbers = new Float64Array(column.length);
  // Several times as fast as Float64Array.from, of millions of values.
  for (let row = 0; row < column.length; row++) numbers[row] = column[row] === null ? Number.NaN : Number(column[row]);
  return numbers;
}

export const one = async <T>(
  session: Session,
  sql: string,
  values: Parameters<Session['query']>[1] = [],
): Promise<T | undefined> => rowsOf<T>(await session.query(sql, values))[0];

/** Queries within it see a consistent state of the case. */
export async function inSnapshot<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await session.execute('begin transaction');
  try {
    return await work();
  } finally {
    await session.execute('rollback');
  }
}
