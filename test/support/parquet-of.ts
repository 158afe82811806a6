import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { temporaryFolder } from './core.ts';

/** Writes what a SELECT answers as Parquet. */
export async function writeParquetOf(file: string, select: string, options = 'compression snappy'): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`copy (${select}) to '${file}' (format parquet, ${options})`);
  connection.closeSync();
  instance.closeSync();
}

/** The bytes of such a file. */
export async function parquetOf(select: string): Promise<Buffer> {
  const file = join(await temporaryFolder(), 'made.parquet');
  await writeParquetOf(file, select);
  return readFileSync(file);
}

/** A span with an attribute of 700 MB: more than the engine's memory. */
export const largeValue = (): Buffer =>
  gunzipSync(readFileSync(join(import.meta.dirname, '../../fixtures/parquet-large/one-value.parquet.gz')));
