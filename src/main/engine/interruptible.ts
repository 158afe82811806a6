import type { DuckDBConnection } from '@duckdb/node-api';

/** An interrupt that comes while nothing runs is forgotten by the engine, and a call is many small runs. */
const AGAIN_MS = 20;

/**
 * Lets an abort end the statement of one connection. The caller gets the error at once; the engine mostly stops within a few
 * milliseconds, but the last steps of a large sort ignore the interrupt for a second or two (bench/query-cancel.ts). Until
 * then no other statement runs on the connection.
 */
export class Interruptible {
  /** Settles, without failing, when the connection is free. */
  free: Promise<unknown> | undefined;
  private readonly connection: DuckDBConnection;
  constructor(connection: DuckDBConnection) {
    this.connection = connection;
  }

  /**
   * @param after run when the work has settled, whatever became of it, and never interrupted
   * @throws the signal's reason, once it is aborted
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal, after?: () => Promise<unknown>): Promise<T> {
    // Of several that wait, the first takes the connection.
    while (this.free) await this.free;
    signal?.throwIfAborted();
    const stopped = Promise.withResolvers<never>();
    let again: ReturnType<typeof setInterval> | undefined;
    const interrupt = () => {
      this.connection.interrupt();
      again ??= setInterval(() => this.connection.interrupt(), AGAIN_MS);
      stopped.reject(signal?.reason);
    };
    signal?.addEventListener('abort', interrupt, { once: true });
    const finish = async () => {
      signal?.removeEventListener('abort', interrupt);
      clearInterval(again);
      await after?.();
    };
    const done = work().finally(finish);
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    this.free = settled;
    void settled.then(() => {
      if (this.free === settled) this.free = undefined;
    });
    return Promise.race([done, stopped.promise]);
  }
}
