import { stat } from 'node:fs/promises';
import type { DuckDBInstance } from '@duckdb/node-api';
import { DATABASE_THREADS } from './insert-rows.ts';

/** Cases above have tables of several row groups, which is what the database's threads share. */
const LARGE_BYTES = 32 * 2 ** 20;
const LARGE_ROWS = 500_000;

/**
 * How many threads a database has. A small one has a single one: its tables are one row group each, so that a second thread
 * finds nothing to do, and while it does what the first could have done, that one looks for work without a pause. The incident
 * of three files took 0.59 s of a processor to import and judge with three threads, 0.40 s with one (2 busy cores). An INSERT
 * of rows from this process needs threads beside, and SQL of a person may take long over few rows: while one of these runs, a
 * small database has them as well.
 */
export class DatabaseThreads {
  private readonly instance: DuckDBInstance;
  private isLarge: boolean;
  private now: number;
  private rows = 0;
  private running = 0;
  /** Statements that may use all. */
  private wanting = 0;
  /** Changes of the setting, one after the other. */
  private turn: Promise<void> = Promise.resolve();

  constructor(instance: DuckDBInstance, bytes: number) {
    this.instance = instance;
    this.isLarge = isLarge(bytes);
    this.now = threadsAtFirst(bytes);
  }

  /** A statement of a session. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
      // Threads are taken away when none of them can be at work: that waits until they have finished.
      if (this.running === 0) await this.settle();
    }
  }

  /** A statement of a session that may use all there are: it inserts rows, or a person wrote it. */
  async all<T>(work: () => Promise<T>): Promise<T> {
    this.wanting++;
    try {
      await this.settle();
      return await work();
    } finally {
      this.wanting--;
    }
  }

  /** Rows that came. */
  added(rows: number): void {
    this.rows += rows;
    this.isLarge ||= this.rows > LARGE_ROWS;
  }

  /** What the database takes on disk by now. */
  reached(bytes: number): void {
    this.isLarge ||= isLarge(bytes);
  }

  private settle(): Promise<void> {
    if (this.wanted() === this.now) return this.turn;
    this.turn = this.turn.catch(() => undefined).then(() => this.change());
    return this.turn;
  }

  private wanted(): number {
    return this.isLarge || this.wanting > 0 ? DATABASE_THREADS : 1;
  }

  private async change(): Promise<void> {
    const wanted = this.wanted();
    if (wanted === this.now || (wanted === 1 && this.running > 0)) return;
    const connection = await this.instance.connect();
    try {
      await connection.run(`set threads = ${wanted}`);
      this.now = wanted;
    } finally {
      connection.closeSync();
    }
  }
}

const isLarge = (bytes: number): boolean => bytes > LARGE_BYTES;

/** Of a database that is about to be opened. */
export const threadsAtFirst = (bytes: number): number => (isLarge(bytes) ? DATABASE_THREADS : 1);

/** What a database takes on disk, with its log; 0 if it is new or in memory. */
export async function bytesOnDisk(path: string): Promise<number> {
  const sizes = await Promise.all(
    [path, `${path}.wal`].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
