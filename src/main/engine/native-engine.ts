import { type DuckDBConnection, DuckDBInstance, StatementType } from '@duckdb/node-api';
import type { Engine, Session, SqlResult, SqlValue } from '../../model/engine.ts';
import { fail, ProblemError } from '../../model/problem.ts';
import { appendColumns } from './append-columns.ts';
import { insertRows, registerRowFunction } from './insert-rows.ts';
import { readColumns } from './read-columns.ts';
import { writeParquet } from './write-parquet.ts';

/** Memory that DuckDB may take: leaves room under the 1.5 GB budget for decoders and the window. */
const MEMORY_LIMIT = '900MB';

/**
 * Opens a native DuckDB. External access is off for the whole instance, so no SQL, ours or a user's, can
 * reach a file or the network through it.
 * @param path a file, or ':memory:'
 * @throws ProblemError `case.locked` when another process holds the file, `case.damaged` when it is no database
 */
export async function openNativeEngine(path: string, options: { readonly readOnly?: boolean } = {}): Promise<Engine> {
  const instance = await create(path, options.readOnly ?? false);
  const connection = await instance.connect();
  registerRowFunction(connection);
  connection.closeSync();
  return {
    session: async () => nativeSession(await instance.connect()),
    checkpoint: async () => {
      const connection = await instance.connect();
      await connection.run('CHECKPOINT');
      connection.closeSync();
    },
    close: async () => instance.closeSync(),
  };
}

async function create(path: string, readOnly: boolean): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, {
      access_mode: readOnly ? 'READ_ONLY' : 'AUTOMATIC',
      enable_external_access: 'false',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      lock_configuration: 'true',
      memory_limit: MEMORY_LIMIT,
      // Else an INSERT runs on one thread only. Questions say their order themselves.
      preserve_insertion_order: 'false',
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/lock/i.test(message)) {
      return fail('case.locked', 'this case is open in another Faultline', {
        place: path,
        hint: 'close it there, or use the window that has it open',
      });
    }
    return fail('case.damaged', 'the database of this case cannot be read', {
      place: path,
      hint: `DuckDB says: ${message.split('\n')[0]}`,
    });
  }
}

/** The failures of a statement of ours that a user can do something about. */
function asProblem(error: unknown): unknown {
  const message = error instanceof Error ? error.message : String(error);
  if (/read-?only/i.test(message)) {
    return new ProblemError({
      code: 'case.read_only',
      message: 'this case cannot be written to',
      hint: 'copy it to a place where you may write',
    });
  }
  if (/no space left|out of disk/i.test(message)) {
    return new ProblemError({ code: 'disk.full', message: 'there is no space left for this case' });
  }
  return error;
}

/** Does what may take long; aborting interrupts it and rejects with the signal's reason. */
async function interruptible<T>(
  connection: DuckDBConnection,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const interrupt = () => connection.interrupt();
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw asProblem(error);
  } finally {
    signal?.removeEventListener('abort', interrupt);
  }
}

export function nativeSession(connection: DuckDBConnection): Session {
  const run = (sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<SqlResult> =>
    interruptible(connection, signal, async () => {
      const reader = await connection.runAndReadAll(sql, [...values]);
      return {
        names: reader.deduplicatedColumnNames(),
        types: reader.columnTypes().map(String),
        columns: reader.getColumnsJS() as unknown[][],
        count: reader.currentRowCount,
      };
    });
  return {
    query: (sql, values = [], signal) => run(sql, values, signal),
    readColumns: (sql, shape) => interruptible(connection, undefined, () => readColumns(connection, sql, shape)),
    execute: (script) => interruptible(connection, undefined, async () => void (await connection.run(script))),
    append: (table, columns, count) =>
      interruptible(connection, undefined, () => appendColumns(connection, table, columns, count)),
    insert: (table, feed, signal) => interruptible(connection, signal, () => insertRows(connection, table, feed)),
    queryUntrusted: (sql, limit, signal) => queryUntrusted(connection, sql, limit, signal),
    queryParquet: (sql, signal) =>
      runUntrusted(connection, sql, async () => writeParquet(await connection.stream(sql)), signal),
    close: () => connection.closeSync(),
  };
}

/** EXPLAIN ANALYZE runs what it explains, so that has to be a SELECT as well. */
async function explainsSelect(connection: DuckDBConnection, sql: string): Promise<boolean> {
  const inner = sql.replace(/^\s*explain\s+(?:analyze\s+)?(?:\([^)]*\)\s*)?/i, '');
  if (inner === sql) return false;
  const statements = await connection.extractStatements(inner);
  const prepared = await statements.prepare(0);
  const type = prepared.statementType;
  prepared.destroySync();
  return type === StatementType.SELECT;
}

/** Runs one harmless statement inside a read-only transaction; `read` gets its answer as a stream. */
async function runUntrusted<T>(
  connection: DuckDBConnection,
  sql: string,
  read: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const interrupt = () => connection.interrupt();
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    const statements = await connection.extractStatements(sql);
    if (statements.count !== 1) return refuse('write exactly one statement');
    const prepared = await statements.prepare(0);
    const type = prepared.statementType;
    prepared.destroySync();
    if (type !== StatementType.SELECT && !(type === StatementType.EXPLAIN && (await explainsSelect(connection, sql)))) {
      return refuse('only SELECT and EXPLAIN SELECT are allowed; a case is evidence');
    }
    await connection.run('BEGIN TRANSACTION READ ONLY');
    try {
      return await read();
    } finally {
      await connection.run('ROLLBACK');
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ProblemError) throw error;
    const [message = 'this SQL cannot be run', ...place] = (
      error instanceof Error ? error.message : String(error)
    ).split('\n');
    // DuckDB shows the line and points at the character: worth keeping, under the one clear line.
    const hint = place.filter((line) => line.trim() !== '').join('\n  ');
    return fail('sql.failed', message, hint === '' ? {} : { hint });
  } finally {
    signal?.removeEventListener('abort', interrupt);
  }
}

const queryUntrusted = (connection: DuckDBConnection, sql: string, limit: number, signal?: AbortSignal) =>
  runUntrusted(
    connection,
    sql,
    async () => {
      const reader = await connection.streamAndReadUntil(sql, limit + 1);
      const count = Math.min(limit, reader.currentRowCount);
      return {
        names: reader.deduplicatedColumnNames(),
        types: reader.columnTypes().map(String),
        columns: (reader.getColumnsJson() as unknown[][]).map((column, i) =>
          plainNumbers(column.slice(0, count), String(reader.columnType(i))),
        ),
        count,
        truncated: reader.currentRowCount > limit,
      };
    },
    signal,
  );

/** 64-bit and wider integers come as decimal text; those that a double holds exactly become numbers for scripts. */
function plainNumbers(column: unknown[], type: string): unknown[] {
  if (!/^U?(BIG|HUGE)INT$/.test(type)) return column;
  return column.map((value) =>
    typeof value === 'string' && Number.isSafeInteger(Number(value)) ? Number(value) : value,
  );
}

function refuse(why: string): never {
  return fail('sql.refused', `this SQL is not run: ${why}`);
}
