import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBResult } from '@duckdb/node-api';
import { newScratch } from '../disk/scratch-folder.ts';
import { Interruptible } from './interruptible.ts';

/**
 * A result as Parquet. The case's own database can reach no file, so the chunks are handed to a second, empty one
 * that can: no SQL of a user ever runs where files are in reach.
 */
export async function writeParquet(result: DuckDBResult, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const scratch = await newScratch('parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
    const columns = result.deduplicatedColumnNames().map((name, i) => `${quoted(name)} ${result.columnType(i)}`);
    await connection.run(`create table answer (${columns.join(', ')})`);
    const appender = await connection.createAppender('answer');
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      signal?.throwIfAborted();
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
    const file = join(scratch.folder, 'answer.parquet');
    const copy = `copy answer to '${file.replaceAll("'", "''")}' (format parquet, compression zstd)`;
    await new Interruptible(connection).run(() => connection.run(copy), signal);
    return new Uint8Array(await readFile(file));
  } finally {
    connection.closeSync();
    instance.closeSync();
    await scratch.remove();
  }
}
