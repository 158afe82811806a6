import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBPendingResult,
  DuckDBTableFunction,
  type DuckDBTableFunctionInfo,
  UTINYINT,
  VARCHAR,
} from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { type AppendRows, bytesOf, type RowFeed } from '../../model/storage/engine.ts';
import { CHUNK_ROWS, fillChunk, typeOf } from './append-columns.ts';

/** What a thread does that asks while there are no rows: short for people who cancel, long for the processor. */
const WAIT_MS = 2;

/**
 * Threads that pull at once. Rows of one that ends with less than a row group are written twice, so few are better for
 * small sources; 1.5 M spans took 6.9 s with 1, 4.8 with 2, 5.0 with 3, 5.7 with as many as there are (4 cores, `bench/`).
 * On 2 cores 8.2 to 9.1 s with 1, 6.8 to 7.2 with 2: while one compresses a row group, the other takes what is read.
 */
const PULLING = availableParallelism() === 1 ? 1 : Math.max(2, Math.min(4, Math.floor(availableParallelism() / 2)));

/** Rows that DuckDB compresses at a time, and what those of all threads may take before. */
const ROW_GROUP_ROWS = 122_880;
const MOST_GROUPED_BYTES = 320e6;

/**
 * Each thread holds a row group as it came, and beside the memory that DuckDB counts about as much again while it compresses
 * one. 2 cores: 500 k logs of 2 KB took 7.2 s and 1.68 GB with 2 threads, 6.5 s and 1.27 GB with 1; 250 k of 8 KB 21 s and
 * 15 s; a million of 1 KB 6.0 s and 1.3 GB with 2, 7.2 to 8.1 s and 1.1 GB with 1.
 */
export const threadsForRows = (rowBytes: number): number =>
  Math.max(1, Math.min(PULLING, Math.floor(MOST_GROUPED_BYTES / (ROW_GROUP_ROWS * rowBytes))));

/** The database's threads: beside those that pull, one that asks for an INSERT and leaves it to them. */
export const DATABASE_THREADS: number = Math.max(PULLING + 1, availableParallelism());

/** A feed while an INSERT pulls from it, cut into the chunks that DuckDB works in. */
class LiveFeed {
  readonly feed: RowFeed;
  private rows: AppendRows | undefined;
  private at = 0;
  private ended = false;
  failure: unknown;
  /** Rows that the database has taken. */
  given = 0;

  constructor(feed: RowFeed) {
    this.feed = feed;
    this.next();
  }

  /** Of a row, by the first that came; 0: none has. */
  get rowBytes(): number {
    return this.rows ? bytesOf(this.rows) / this.rows.count : 0;
  }

  /** Fills a chunk. No rows: the last chunk. A single row with `wait`: no data yet. */
  fill(chunk: DuckDBDataChunk): void {
    const rows = this.next();
    if (typeof rows === 'string') {
      chunk.rowCount = rows === 'end' ? 0 : 1;
      if (rows === 'later') this.fillWait(chunk, 1, WAIT_MS);
      return;
    }
    const count = Math.min(CHUNK_ROWS, rows.count - this.at);
    chunk.rowCount = count;
    fillChunk(chunk, rows.columns, this.at, count);
    this.fillWait(chunk, count, 0);
    this.at += count;
    this.given += count;
    if (this.at === rows.count) rows.done?.();
  }

  private next(): AppendRows | 'later' | 'end' {
    if (this.ended) return 'end';
    if (this.rows && this.at < this.rows.count) return this.rows;
    const next = this.feed.next();
    this.ended = next === 'end';
    this.rows = typeof next === 'string' ? undefined : next;
    this.at = 0;
    return next;
  }

  private fillWait({ chunk }: DuckDBDataChunk, rows: number, wait: number): void {
    const vector = duckdb.data_chunk_get_vector(chunk, this.feed.types.length);
    duckdb.copy_data_to_vector(vector, 0, new Uint8Array(rows).fill(wait).buffer, 0, rows);
  }
}

/** Feeds by a name that nobody can guess: SQL of a user could call the function, too. */
const live = new Map<string, LiveFeed>();

/** Makes `faultline_rows(feed)` known to a database; its rows are those of a feed that an INSERT has announced. */
export function registerRowFunction(connection: DuckDBConnection): void {
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: 'faultline_rows',
      parameterTypes: [VARCHAR],
      bindFunction: (bind) => {
        const found = live.get(String(bind.getParameter(0)));
        if (!found) return bind.setError('faultline_rows is for importing only');
        for (const [i, type] of found.feed.types.entries()) bind.addResultColumn(`c${i}`, typeOf(type));
        bind.addResultColumn('wait', UTINYINT);
        bind.setBindData(found);
      },
      initFunction: (init) => init.setMaxThreads(threadsForRows((init.bindData as LiveFeed).rowBytes)),
      mainFunction: produce,
    }),
  );
}

function produce(info: DuckDBTableFunctionInfo, chunk: DuckDBDataChunk): void {
  const feed = info.bindData as LiveFeed;
  try {
    feed.fill(chunk);
  } catch (error) {
    feed.failure = error;
    chunk.rowCount = 0;
    info.setError('the feed of rows failed');
  }
}

/**
 * Inserts what a feed yields, until it ends. DuckDB pulls from as many threads as it has, and each compresses and
 * writes row groups of its own; this thread only copies. Measured on 4 cores: 1.5 M spans at 915 k rows/s, an
 * appender 333 k rows/s, all of it on this thread (`bench/`).
 * @returns how many rows
 */
export async function insertRows(connection: DuckDBConnection, table: string, feed: RowFeed): Promise<number> {
  const id = randomUUID();
  const entry = new LiveFeed(feed);
  live.set(id, entry);
  const columns = feed.types.map((_, i) => `c${i}`).join(', ');
  try {
    await runAside(
      connection,
      `insert into ${table} select ${columns} from faultline_rows('${id}')
       where case when wait = 0 then true else sleep_ms(wait) is not null end`,
    );
    return entry.given;
  } catch (error) {
    throw entry.failure ?? error;
  } finally {
    live.delete(id);
  }
}

const POLL_MS = 2;

/**
 * Leaves a long statement to the database's own threads. The one that runs it otherwise looks for work without a pause
 * while those have all of it: a seventh of the processor time of an import.
 */
async function runAside(connection: DuckDBConnection, sql: string): Promise<void> {
  const prepared = await connection.prepare(sql);
  try {
    const pending = prepared.start();
    while (isRunning(pending)) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    await pending.getResult();
  } finally {
    prepared.destroySync();
  }
}

function isRunning(pending: DuckDBPendingResult): boolean {
  const raw = (pending as unknown as { readonly pending_result: duckdb.PendingResult }).pending_result;
  const state = duckdb.pending_execute_check_state(raw);
  return state !== duckdb.PendingState.ERROR && !duckdb.pending_execution_is_finished(state);
}
