import { type DuckDBConnection, StatementType } from '@duckdb/node-api';
import { fail } from '../../model/problem.ts';

/**
 * What reads files, says where they lie, or runs SQL that nobody has looked at. External access is off; but the database's
 * own file is open, and settings name folders.
 */
const outside = {
  functions:
    /^(read_.*|parquet_.*|sniff_.*|.*_scan|glob|which_secret|current_setting|getenv|query|query_table|json_execute_.*|duckdb_(settings|databases|secrets|temporary_files|extensions|logs?_?.*)|pragma_.*)$/i,
  tables: /^(duckdb_(settings|databases|secrets|temporary_files|extensions|logs?_?.*)|pragma_.*)$/i,
};

const explaining = /^\s*explain\s+(?:analyze\s+)?(?:\([^)]*\)\s*)?/i;

/**
 * Refuses all but one statement that only reads, and only rows of the case.
 * @throws ProblemError sql.refused
 */
export async function assertHarmless(connection: DuckDBConnection, sql: string): Promise<void> {
  const type = await typeOfOnly(connection, sql);
  // EXPLAIN ANALYZE runs what it explains, so that has to be a SELECT as well.
  const explained = type === StatementType.EXPLAIN ? sql.replace(explaining, '') : undefined;
  const read = explained ?? sql;
  const reads =
    explained === undefined ? type : explained === sql ? undefined : await typeOfOnly(connection, explained);
  const tree = reads === StatementType.SELECT ? await parsed(connection, read) : undefined;
  if (tree === undefined) return refuse('only SELECT and EXPLAIN SELECT are allowed; a case is evidence');
  const found = beyond(tree);
  if (found !== undefined) refuse(`${found} looks beyond the rows of the case`);
}

async function typeOfOnly(connection: DuckDBConnection, sql: string): Promise<StatementType> {
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) return refuse('write exactly one statement');
  const prepared = await statements.prepare(0);
  const type = prepared.statementType;
  prepared.destroySync();
  return type;
}

/** As DuckDB reads it; undefined: it is no SELECT, such as a PRAGMA, which calls itself one. */
async function parsed(connection: DuckDBConnection, sql: string): Promise<unknown> {
  const reader = await connection.runAndReadAll('select json_serialize_sql($1::varchar)', [sql]);
  const tree = JSON.parse(String(reader.getRowsJS()[0]?.[0])) as { readonly error: boolean };
  return tree.error ? undefined : tree;
}

/** The first function or table of a tree of SQL that is {@link outside}. */
function beyond(tree: unknown): string | undefined {
  if (typeof tree !== 'object' || tree === null) return undefined;
  const { function_name: called, table_name: table } = tree as Readonly<Record<string, unknown>>;
  if (typeof called === 'string' && outside.functions.test(called)) return called;
  if (typeof table === 'string' && outside.tables.test(table)) return table;
  for (const part of Object.values(tree)) {
    const found = beyond(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function refuse(why: string): never {
  return fail('sql.refused', `this SQL is not run: ${why}`);
}
