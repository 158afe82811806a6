import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { DuckDBInstance } from '@duckdb/node-api';

/** As long as the library lets a log grow before it checkpoints by itself. */
const LONG_LOG_BYTES = 16 * 2 ** 20;
const AGAIN_MS = 100;
const MOST_TRIES = 50;

/**
 * When the write-ahead log is moved into the file. One for which there is no room makes the whole database useless until it is
 * opened again, so it is begun only where there is.
 */
export class Checkpoints {
  private readonly instance: DuckDBInstance;
  private readonly path: string;

  constructor(instance: DuckDBInstance, path: string) {
    this.instance = instance;
    this.path = path;
  }

  /** Waits until there is no other writer; gives up after a while, because the next checkpoint or closing the case does the same. */
  async now(): Promise<void> {
    if (this.path === ':memory:') return; // It has no log.
    for (let tries = 0; (await this.hasRoom()) && !(await this.isDone()) && tries < MOST_TRIES; tries++)
      await setTimeout(AGAIN_MS);
  }

  /** By `whenLong` alone, or by the library itself. */
  async setManual(isOn: boolean): Promise<void> {
    const connection = await this.instance.connect();
    await connection.run(`set global checkpoint_threshold = '${isOn ? '1TB' : `${LONG_LOG_BYTES}B`}'`);
    connection.closeSync();
  }

  /** Where the log is long, there is room, and nobody else writes; else another time. */
  async whenLong(): Promise<void> {
    if ((await this.logBytes()) > LONG_LOG_BYTES && (await this.hasRoom())) await this.isDone();
  }

  private async isDone(): Promise<boolean> {
    const connection = await this.instance.connect();
    try {
      await connection.run('CHECKPOINT');
      return true;
    } catch (error) {
      if (/cannot checkpoint/i.test(String(error))) return false;
      throw error;
    } finally {
      connection.closeSync();
    }
  }

  private logBytes(): Promise<number> {
    return stat(`${this.path}.wal`).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** What the log holds, packed, and parts of tables anew that it belongs to, before the old ones are free. */
  private async hasRoom(): Promise<boolean> {
    const { bavail, bsize } = await statfs(dirname(this.path));
    return bavail * bsize > 2 * (await this.logBytes()) + LONG_LOG_BYTES;
  }
}
