import { ProblemError } from '../../model/problem.ts';

const DAMAGED = 'the database of this case is damaged: it cannot be read';
const SALVAGE = 'open its bundle again if you have one, or salvage what can be read: faultline repair CASE';

/**
 * Messages of DuckDB on damaged blocks of a file: checksums, its own structures, and assertions that fail because of them
 * (seen by flipping and cutting bytes, `npm run endure`).
 */
const signs =
  /checksum|corrupt|serialization error|deserializ|not a valid duckdb database|internal error|fatal error|database has been invalidated|failed to load metadata|could not read (?:enough|all|from)|unable to read|unknown catalog/i;

/** The first line of the engine's message, without the path of the file. */
const messageOf = (message: string): string =>
  (message.split('\n')[0] ?? '').replaceAll(/"[^"]*[\\/]([^"\\/]+)"/g, '"$1"').slice(0, 300);

/** @throws ProblemError case.damaged */
export function damagedCase(message: string): never {
  throw damaged(message);
}

/** The damage that an error of one of our own statements shows; undefined: none. */
export function damageIn(error: unknown): ProblemError | undefined {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof ProblemError || !signs.test(message) ? undefined : damaged(message);
}

const damaged = (message: string): ProblemError =>
  new ProblemError({ code: 'case.damaged', message: DAMAGED, hint: `${SALVAGE} (DuckDB: ${messageOf(message)})` });
