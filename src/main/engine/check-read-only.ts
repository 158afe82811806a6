import { type DuckDBConnection, StatementType } from '@duckdb/node-api';
import { fail } from '../../model/problem.ts';

/**
 * Table functions that read nothing but their arguments and the case's own rows. Others read or write files, change the database's
 * settings (`enable_logging`, `enable_profiling`), write to it (`checkpoint`) or run SQL that nobody has looked at; the engine's
 * next version may bring more of them.
 */
const tableFunctions: ReadonlySet<string> = new Set([
  'duckdb_columns',
  'duckdb_constraints',
  'duckdb_functions',
  'duckdb_indexes',
  'duckdb_keywords',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
  'generate_series',
  'histogram',
  'histogram_values',
  'icu_calendar_names',
  'json_each',
  'json_tree',
  'pg_timezone_names',
  'range',
  'repeat',
  'repeat_row',
  'summary',
  'trace',
  'unnest',
]);

/** Functions of values that do more than compute one: settings and the environment, state that outlives the statement, waiting. */
const outsideFunctions =
  /^(current_setting|getenv|getvariable|setseed|nextval|currval|sleep_ms|pg_sleep|write_log|stats|json_deserialize_sql|json_execute_.*)$/i;

/** Tables of the engine that show file paths or its settings. */
const outsideTables =
  /^(duckdb_(?!columns$|constraints$|functions$|indexes$|keywords$|tables$|types$|views$)|pragma_|sqlite_)/i;

const explaining = /^\s*explain\s+(?:analyze\s+)?(?:\([^)]*\)\s*)?/i;

/**
 * Refuses all but one statement that only reads, and only rows of the case. It is looked at as it is parsed: to prepare a statement
 * already binds its table functions.
 * @throws ProblemError sql.refused
 */
export async function assertHarmless(connection: DuckDBConnection, sql: string): Promise<void> {
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) refuse('write exactly one statement');
  // EXPLAIN ANALYZE runs what it explains, so that has to be a SELECT as well.
  const tree = await parsed(connection, sql.replace(explaining, ''));
  if (tree === undefined) return refuse(ONLY_SELECT);
  const found = beyond(tree);
  if (found !== undefined) refuse(`${found} looks beyond the rows of the case`);
  const prepared = await statements.prepare(0);
  const type = prepared.statementType;
  prepared.destroySync();
  if (type !== StatementType.SELECT && type !== StatementType.EXPLAIN) refuse(ONLY_SELECT);
}

const ONLY_SELECT = 'only SELECT and EXPLAIN SELECT are allowed; a case is evidence';

/** As DuckDB reads it; undefined: it is no SELECT, such as a PRAGMA, which calls itself one. */
async function parsed(connection: DuckDBConnection, sql: string): Promise<unknown> {
  const reader = await connection.runAndReadAll('select json_serialize_sql($1::varchar)', [sql]);
  const tree = JSON.parse(String(reader.getRowsJS()[0]?.[0])) as { readonly error: boolean };
  return tree.error ? undefined : tree;
}

/** The first function or table of a tree of SQL that is not of the case. */
function beyond(tree: unknown, isTable = false): string | undefined {
  if (typeof tree !== 'object' || tree === null) return undefined;
  const node = tree as Readonly<Record<string, unknown>>;
  const { function_name: called, table_name: table } = node;
  if (
    typeof called === 'string' &&
    (isTable ? !tableFunctions.has(called.toLowerCase()) : outsideFunctions.test(called))
  )
    return called;
  if (typeof table === 'string' && outsideTables.test(table)) return table;
  for (const [name, part] of Object.entries(node)) {
    const found = beyond(part, node.type === 'TABLE_FUNCTION' && name === 'function');
    if (found !== undefined) return found;
  }
  return undefined;
}

function refuse(why: string): never {
  return fail('sql.refused', `this SQL is not run: ${why}`);
}
