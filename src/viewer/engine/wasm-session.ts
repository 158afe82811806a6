import type { DuckDBBindings } from '@duckdb/duckdb-wasm/blocking';
import { lockedStream } from '../../base/locked-stream.ts';
import { fail } from '../../model/problem.ts';
import type { ParquetFacts, Session, SqlResult, SqlValue } from '../../model/storage/engine.ts';
import { arrowOf } from './append-columns.ts';
import { readAnswer, rowsIn, valuesOf } from './arrow-values.ts';
import { literal } from './bound-values.ts';
import { withoutStructures } from './json-structures.ts';
import { describeParquet, insertParquet } from './parquet-tables.ts';
import { writeParquet } from './parquet-write.ts';
import { type Connected, runSliced } from './running-query.ts';
import { sqlType } from './sql-types.ts';
import { readColumns } from './stream-columns.ts';
import { runUntrusted } from './untrusted.ts';

const importsElsewhere = (): never =>
  fail('viewer.desktop_only', 'rows are imported by the desktop app or the command line');

/** One connection of the engine in WebAssembly. Its statements run one after another, as on the desktop. */
export function wasmSession(bindings: DuckDBBindings, parquet: ReadonlyMap<string, Blob>): Session {
  const connected = { bindings, connection: connectionOf(bindings) };
  const { connection } = connected;
  let last: Promise<unknown> = Promise.resolve();
  const runExclusive = <R>(work: () => Promise<R>): Promise<R> => {
    const made = last.then(work);
    last = made.catch(() => undefined);
    return made;
  };
  const file = (path: string): Blob =>
    parquet.get(path) ?? fail('bundle.damaged', `this bundle is no case: there is no ${path}`);
  return {
    query: (sql, values = [], signal) => runExclusive(() => runWhole(connected, sql, values, signal)),
    execute: (script) => runExclusive(async () => runScript(connected, script)),
    append: (table, columns, count) =>
      runExclusive(async () => {
        if (count > 0)
          bindings.insertArrowFromIPCStream(connection, arrowOf(columns, count), { name: table, create: false });
      }),
    insert: importsElsewhere,
    insertFile: importsElsewhere,
    stream: (sql, shape) =>
      lockedStream(runExclusive, () =>
        readColumns(
          runSliced(bindings, connection, withoutStructures(sql), { signal: undefined, whole: false }),
          shape,
        ),
      ),
    queryUntrusted: (sql, limit, signal) => runExclusive(() => runUntrusted(connected, sql, limit, signal)),
    queryParquet: (sql, signal) => runExclusive(() => writeParquet(connected, sql, signal)),
    describeParquet: async (path): Promise<ParquetFacts> => describeParquet(file(path)),
    insertParquet: (table, { path }, { mostTextBytes, signal }) =>
      runExclusive(() => insertParquet(connected, { table, file: file(path) }, { mostTextBytes, signal })),
    close: () => void last.then(() => bindings.disconnect(connection)),
  };
}

/** The library's own wrapper of a connection knows no slices. */
const connectionOf = (bindings: DuckDBBindings): number =>
  (bindings.connect() as unknown as { readonly _conn: number })._conn;

async function runWhole(
  { bindings, connection }: Connected,
  question: string,
  values: readonly SqlValue[],
  signal: AbortSignal | undefined,
): Promise<SqlResult> {
  const sql = withoutStructures(question);
  if (values.length > 0) bindings.runQuery(connection, `prepare asked as ${sql}`);
  const text = values.length > 0 ? `execute asked(${values.map(literal).join(', ')})` : sql;
  const pieces: Uint8Array[] = [];
  for await (const piece of runSliced(bindings, connection, text, { signal, whole: true })) pieces.push(piece);
  const answer = readAnswer(pieces);
  return {
    names: answer.fields.map(({ name }) => name),
    types: answer.fields.map(({ type }) => sqlType(type)),
    columns: answer.fields.map((_, column) => valuesOf(answer, column)),
    count: rowsIn(answer),
  };
}

/** A transaction that failed while it was committed has ended already: to take it back once more is no failure. */
function runScript({ bindings, connection }: Connected, script: string): void {
  try {
    bindings.runQuery(connection, script);
  } catch (error) {
    const isOver = script === 'rollback' && /no transaction is active/i.test(String(error));
    if (!isOver) throw error;
  }
}
