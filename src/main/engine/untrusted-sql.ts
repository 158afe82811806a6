import { type DuckDBConnection, JsonDuckDBValueConverter } from '@duckdb/node-api';
import { fail, ProblemError } from '../../model/problem.ts';
import { assertHarmless } from './check-read-only.ts';
import type { Interruptible } from './interruptible.ts';

/** A statement of a person, and where it runs. */
export interface Untrusted {
  readonly connection: DuckDBConnection;
  readonly during: Interruptible['run'];
  readonly widely: <T>(work: () => Promise<T>) => Promise<T>;
  readonly sql: string;
  readonly signal: AbortSignal | undefined;
}

/** Runs one harmless statement inside a read-only transaction; `read` gets its answer as a stream. */
export async function runUntrusted<T>(
  { connection, during, widely, sql, signal }: Untrusted,
  read: () => Promise<T>,
): Promise<T> {
  let begun = false;
  const work = async () => {
    await assertHarmless(connection, sql);
    await connection.run('BEGIN TRANSACTION READ ONLY');
    begun = true;
    return read();
  };
  try {
    return await during(
      () => widely(work),
      signal,
      async () => begun && (await connection.run('ROLLBACK')),
    );
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ProblemError) throw error;
    const [message = 'this SQL cannot be run', ...place] = (
      error instanceof Error ? error.message : String(error)
    ).split('\n');
    // DuckDB shows the line and points at the character: worth keeping, under the one clear line.
    const hint = place.filter((line) => line.trim() !== '').join('\n');
    return fail('sql.failed', message, hint === '' ? {} : { hint });
  }
}

/** Characters of texts in an answer: more than anybody reads, and as objects they take a multiple. */
const MOST_TEXT = 64e6;

/** Chunk by chunk, so that an abort is heard between them: turning a million rows into values takes seconds. */
export async function readSome(connection: DuckDBConnection, sql: string, limit: number, signal?: AbortSignal) {
  const result = await connection.stream(sql);
  const types = result.columnTypes().map(String);
  const columns: unknown[][] = types.map(() => []);
  let count = 0;
  let text = 0;
  let truncated = false;
  for await (const chunk of result) {
    signal?.throwIfAborted();
    if (text > MOST_TEXT && chunk.rowCount > 0) {
      truncated = true;
      break;
    }
    for (const [i, values] of chunk.convertColumns(JsonDuckDBValueConverter).entries())
      for (const value of plainNumbers(values, types[i]!)) {
        columns[i]?.push(value);
        if (typeof value === 'string') text += value.length;
      }
    count += chunk.rowCount;
    if (count > limit) break;
  }
  return {
    names: result.deduplicatedColumnNames(),
    types,
    columns: columns.map((column) => column.slice(0, limit)),
    count: Math.min(limit, count),
    truncated: truncated || count > limit,
  };
}

/** 64-bit and wider integers come as decimal text; those that a double holds exactly become numbers for scripts. */
function plainNumbers(column: unknown[], type: string): unknown[] {
  if (!/^U?(BIG|HUGE)INT$/.test(type)) return column;
  return column.map((value) =>
    typeof value === 'string' && Number.isSafeInteger(Number(value)) ? Number(value) : value,
  );
}
