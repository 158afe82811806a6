import type { DuckDBBindings } from '@duckdb/duckdb-wasm/blocking';

/** What a session works with. */
export interface Connected {
  readonly bindings: DuckDBBindings;
  readonly connection: number;
}

/** Lets messages in, among them that somebody wants no more of what runs. */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/**
 * Runs one statement in slices of a tenth of a second, which is what the engine does between two polls, and gives its answer
 * as pieces of an Arrow IPC stream. @throws the signal's reason
 */
export async function* runSliced(
  bindings: DuckDBBindings,
  connection: number,
  sql: string,
  { signal, whole }: { readonly signal: AbortSignal | undefined; readonly whole: boolean },
): AsyncGenerator<Uint8Array, void, void> {
  signal?.throwIfAborted();
  let isOver = false;
  try {
    let head = bindings.startPendingQuery(connection, sql, !whole);
    while (head === null) {
      await yieldToEventLoop();
      signal?.throwIfAborted();
      head = bindings.pollPendingQuery(connection);
    }
    yield head;
    for (let slice = performance.now(); ; ) {
      const piece = bindings.fetchQueryResults(connection);
      if (piece?.length === 0) break;
      if (piece !== null) yield piece;
      if (performance.now() - slice < SLICE_MS) continue;
      await yieldToEventLoop();
      signal?.throwIfAborted();
      slice = performance.now();
    }
    isOver = true;
  } catch (error) {
    throw readable(error);
  } finally {
    if (!isOver) bindings.cancelPendingQuery(connection);
  }
}

const SLICE_MS = 50;

/** An error between two slices arrives as JSON. */
function readable(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.startsWith('{"exception_type"')) return error;
  const { exception_type, exception_message } = JSON.parse(error.message) as Record<string, string>;
  return new Error(`${exception_type} Error: ${exception_message}`);
}
