import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { fail } from '../../model/problem.ts';
import type { FileWork, LentFile, SqlResult } from '../../model/storage/engine.ts';
import { firstNumber } from '../../model/storage/engine.ts';
import { failForParquet } from '../../model/storage/parquet-problem.ts';
import { DATABASE_THREADS, threadsForRows } from './insert-rows.ts';

/** What a database gives for it beside the connection on which the transaction is open. */
export interface FileLoan {
  /** A folder that its SQL may read. */
  readonly folder: string;
  /** Changes a setting outside of any transaction, also of one that has failed. */
  set(setting: string): Promise<void>;
}

type Run = (sql: string) => Promise<SqlResult>;

/** What pages may take that are open at once: the engine holds each as it lies in the file and unpacked, in a power of two. */
const MOST_PAGE_BYTES = 320 << 20;
/** Writers end a page at 1 MB, DuckDB itself at 100: a column of a row group may be a single one. */
const LARGEST_PAGE_BYTES = 128 << 20;
/** Rows of which the width is taken for that of all. */
const SAMPLED_ROWS = 2048;
const POLL_MS = 200;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * One INSERT … SELECT from the file, by as many threads as pages and rows leave memory for. Nothing of it passes JavaScript:
 * 1.5 M spans of 350 bytes of attributes take 1.0 s and 2.0 s of processor time (2 cores).
 */
export async function insertFile(
  { connection, run, loan }: { readonly connection: DuckDBConnection; readonly run: Run; readonly loan: FileLoan },
  { table, path, name, select }: LentFile & { readonly table: string },
  { signal, onShare }: FileWork,
): Promise<number> {
  const lent = await lend({ path, name }, loan.folder, signal);
  const progressTimer = setInterval(() => onShare(Math.max(0, connection.progress.percentage) / 100), POLL_MS);
  try {
    await run('set enable_progress_bar_print = false');
    await run('set enable_progress_bar = true');
    await run(
      `create or replace temp view in_file as
       from read_parquet(${literal(lent)}, file_row_number = true, hive_partitioning = false)`,
    );
    await loan.set(`threads = ${await threadsFor(run, lent)}`);
    const { columns } = await run(`insert into ${table} ${select}`);
    await run('drop view in_file');
    // What follows in this transaction needs no progress, which is summed up for each of its tasks.
    await run('set enable_progress_bar = false');
    return Number(columns[0]?.[0]);
  } catch (error) {
    signal.throwIfAborted();
    return failForParquet(error, name);
  } finally {
    clearInterval(progressTimer);
    await loan.set(`threads = ${DATABASE_THREADS}`);
    await rm(lent, { force: true });
  }
}

/**
 * Puts a file where the engine may read: as another name of it, or as a copy where it lies on another file system or belongs
 * to somebody else. The engine follows no symbolic link out of its folder.
 * @throws ProblemError file.unreadable
 */
async function lend(
  { path, name }: Pick<LentFile, 'path' | 'name'>,
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  const lent = join(folder, `${randomUUID()}.parquet`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await link(path, lent);
  } catch {
    await pipeline(createReadStream(path), createWriteStream(lent, { mode: 0o600 }), { signal }).catch((error) =>
      notLent(error, name, lent),
    );
  }
  return lent;
}

async function notLent(error: NodeJS.ErrnoException, name: string, lent: string): Promise<never> {
  await rm(lent, { force: true });
  if (error.code === undefined || error.code === 'ENOSPC' || error.name === 'AbortError') throw error;
  return fail('file.unreadable', `${name} cannot be read (${error.code})`, {
    place: name,
    hint: 'check that it is still there, and who may read it',
  });
}

/** Threads that pages and rows leave memory for, one at least. */
async function threadsFor(run: Run, path: string): Promise<number> {
  const sizes = await run(
    `select max(total_compressed_size)::double, max(total_uncompressed_size)::double,
       (sum(total_uncompressed_size) / any_value(row_group_num_rows))::double
     from parquet_metadata(${literal(path)}) group by row_group_id`,
  );
  const [packed = [], unpacked = [], widths = []] = sizes.columns as readonly (readonly number[])[];
  const pages = packed.map((bytes, group) => allocated(bytes) + allocated(unpacked[group]!));
  const rowBytes = Math.max(1, ...widths) + (await repeatedBytes(run, path));
  return Math.max(1, Math.min(threadsForRows(rowBytes), Math.floor(MOST_PAGE_BYTES / Math.max(1, ...pages))));
}

/** Of a row: texts that the file holds once for many rows, as a row group of a table does not. */
async function repeatedBytes(run: Run, path: string): Promise<number> {
  const found = await run(
    `select distinct string_split(path_in_schema, ', ')[1] from parquet_metadata(${literal(path)})
     where type = 'BYTE_ARRAY' and contains(encodings, 'DICTIONARY')`,
  );
  // Paths are joined by what may stand in a name, too.
  const known = new Set((await run('describe from in_file')).columns[0]);
  const names = (found.columns[0] ?? [])
    .filter((name) => known.has(name))
    .map((name) => `"${String(name).replaceAll('"', '""')}"`);
  if (names.length === 0) return 0;
  const rows = `select ${names.join(', ')} from in_file limit ${SAMPLED_ROWS}`;
  const sampled = await run(`select coalesce(avg(strlen(r::varchar)), 0) from (${rows}) r`);
  return firstNumber(sampled);
}

const allocated = (bytes: number): number =>
  2 ** Math.ceil(Math.log2(Math.min(Math.max(bytes, 1), LARGEST_PAGE_BYTES)));
