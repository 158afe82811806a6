import { fail, ProblemError } from '../../model/problem.ts';
import type { SqlResult } from '../../model/storage/engine.ts';
import { type Answer, readAnswer, rowsIn, valuesOf } from './arrow-values.ts';
import { type Connected, runSliced } from './running-query.ts';

const READS_ONLY = 'only SELECT and EXPLAIN SELECT are allowed; a case is evidence';

/** Words that a harmless statement begins with. */
const reading = /^(?:\(|select|from|with|values|table|pivot|unpivot|describe|summarize|show)\b|^\(/i;
const explaining = /^explain\s+(?:analyze\s+)?(?:\([^)]*\)\s*)?/i;

/** One read-only statement, run in a read-only transaction; columns have the types of the native engine, but intervals are text. */
export async function runUntrusted(
  connected: Connected,
  sql: string,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<SqlResult & { readonly truncated: boolean }> {
  return harmless(connected, sql, signal, async (statement, columns) => {
    const answer = await runQuery(connected, columns === null ? statement : limited(statement, columns, limit), signal);
    const count = Math.min(limit, rowsIn(answer));
    const names = columns?.map(({ name }) => name) ?? answer.fields.map(({ name }) => name);
    const types = columns?.map(({ type }) => type) ?? answer.fields.map(() => 'VARCHAR');
    return {
      names: distinct(names),
      types,
      columns: answer.fields.map((_, i) => shown(valuesOf(answer, i).slice(0, limit), types[i] ?? 'VARCHAR')),
      count,
      truncated: rowsIn(answer) > limit,
    };
  });
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/**
 * Checks that the text is one statement that only reads, and runs it where it could do nothing else.
 * @param run gets the statement without what follows it, and its columns; null: it explains another
 * @throws ProblemError sql.refused, sql.failed
 */
export async function harmless<R>(
  { bindings, connection }: Connected,
  sql: string,
  signal: AbortSignal | undefined,
  run: (statement: string, columns: readonly Column[] | null) => Promise<R>,
): Promise<R> {
  const statement = trimmedStatement(bindings, sql);
  const explained = statement.replace(explaining, '');
  let begun = false;
  try {
    if (statement !== '' && !reading.test(explained)) refuse(READS_ONLY);
    assertOne(bindings, connection, sql);
    bindings.runQuery(connection, 'begin transaction read only');
    begun = true;
    const columns = explained === statement ? await columnsOf({ bindings, connection }, statement, signal) : null;
    return await run(statement, columns);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ProblemError) throw error;
    return failed(error);
  } finally {
    if (begun) bindings.runQuery(connection, 'rollback');
  }
}

function refuse(why: string): never {
  return fail('sql.refused', `this SQL is not run: ${why}`);
}

function failed(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  if (/read-only mode/.test(text)) refuse(READS_ONLY);
  const [message = 'this SQL cannot be run', ...place] = text.split('\n');
  const hint = place.filter((line) => line.trim() !== '').join('\n');
  return fail('sql.failed', message, hint === '' ? {} : { hint });
}

/** The engine prepares one statement only, and runs nothing by that. */
function assertOne(bindings: Connected['bindings'], connection: number, sql: string): void {
  try {
    bindings.closePrepared(connection, bindings.createPrepared(connection, sql));
  } catch (error) {
    if (/multiple statements|no statement to prepare/i.test(String(error))) refuse('write exactly one statement');
    throw error;
  }
}

const COMMENT = 5;

/** Without comments around it and semicolons after it. Offsets of the engine's tokens are bytes. */
function trimmedStatement(bindings: Connected['bindings'], sql: string): string {
  const bytes = new TextEncoder().encode(sql);
  const { offsets, types } = bindings.tokenize(sql);
  const tokens = offsets.map((from, i) => ({ from, until: offsets[i + 1] ?? bytes.length, type: types[i] }));
  const semicolon = 0x3b;
  const own = tokens.filter(({ from, type }) => type! !== COMMENT && bytes[from] !== semicolon);
  return new TextDecoder().decode(bytes.subarray(own[0]?.from ?? 0, own.at(-1)?.until ?? 0)).trim();
}

async function columnsOf(connected: Connected, statement: string, signal: AbortSignal | undefined): Promise<Column[]> {
  const answer = await runQuery(connected, `describe ${statement}`, signal).catch((error: unknown) => {
    // It was one statement by itself: what cannot be described answers with nothing.
    if (/^Parser Error/.test(error instanceof Error ? error.message : '')) refuse(READS_ONLY);
    throw error;
  });
  const [names = [], types = []] = [valuesOf(answer, 0), valuesOf(answer, 1)];
  return names.map((name, i) => ({ name: String(name), type: String(types[i]) }));
}

/** Types whose values are taken as they come; all others as the engine writes them. */
const plain =
  /^(?:BOOLEAN|U?TINYINT|U?SMALLINT|U?INTEGER|U?BIGINT|FLOAT|DOUBLE|VARCHAR|"NULL")$|\[\]$|^(?:STRUCT|MAP)\(/;

function limited(statement: string, columns: readonly Column[], limit: number): string {
  const list = columns.map(({ type }, i) => (plain.test(type) ? `#${i + 1}` : `#${i + 1}::varchar`)).join(', ');
  return `select ${list} from (${statement}\n) limit ${limit + 1}`;
}

async function runQuery(
  { bindings, connection }: Connected,
  sql: string,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of runSliced(bindings, connection, sql, { signal, whole: true })) pieces.push(piece);
  return readAnswer(pieces);
}

/** Integers that a double represents exactly are numbers, others decimal text; NaN and infinities are their names. */
const shown = (values: readonly unknown[], type: string): unknown[] =>
  values.map((value) => {
    const isWide = typeof value === 'bigint' || (typeof value === 'string' && /^U?HUGEINT$/.test(type));
    if (isWide) return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  });

/** A second column of a name is called `name:1`. */
function distinct(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before === 0 ? name : `${name}:${before}`;
  });
}
