import { copyFile, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { assert } from '../../base/assert.ts';
import { fail } from '../../model/problem.ts';
import type { ExportFiles, ExportTarget } from '../../model/storage/export-files.ts';
import { scratchFileFor, scratchName, sweepScratch } from '../disk/scratch-folder.ts';
import { clearExchange, writeParquetTables } from '../engine/exchange.ts';

export const exportFiles: ExportFiles = { writeTables, writeText };

async function writeTables(
  ...[engine, selects, target, { signal, onProgress }]: Parameters<ExportFiles['writeTables']>
): ReturnType<ExportFiles['writeTables']> {
  assert(target.path !== null, 'a folder of tables has a place');
  const folder = resolve(target.path);
  await refuseFull(folder, target);
  // Beside the target, so that it can be renamed; what killed processes left there is a copy of evidence.
  await sweepScratch(dirname(folder));
  const staging = join(dirname(folder), scratchName('export'));
  await mkdir(staging, { recursive: true });
  try {
    const written = await writeParquetTables(engine, selects, { signal, onTable: onProgress });
    const finished: Awaited<ReturnType<ExportFiles['writeTables']>>[number][] = [];
    for (const { table, rows, path } of written) {
      signal.throwIfAborted();
      if (rows === 0) continue;
      const own = join(staging, ofTable(table));
      await copyFile(path, own);
      await rm(path);
      finished.push({ table, rows, bytes: (await stat(own)).size });
    }
    const gone = selects.map(({ table }) => table).filter((table) => !finished.some((one) => one.table === table));
    await place(staging, folder, gone);
    return finished;
  } finally {
    await rm(staging, { recursive: true, force: true });
    await clearExchange(engine);
  }
}

const ofTable = (table: string): string => `${table}.parquet`;

/** Puts what is in `staging` where it is wanted: as a whole, or, where something is already, each file by itself. */
async function place(staging: string, folder: string, gone: readonly string[]): Promise<void> {
  const present = await readdir(folder).catch(() => null);
  if (present === null || present.length === 0) {
    if (present !== null) await rmdir(folder);
    return rename(staging, folder);
  }
  for (const name of await readdir(staging)) await rename(join(staging, name), join(folder, name));
  // Of an earlier state of the case: beside the others it would look like this one.
  for (const table of gone) await rm(join(folder, ofTable(table)), { force: true });
}

async function refuseFull(folder: string, { overwrite }: ExportTarget): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found && !found.isDirectory())
    fail('export.not_a_folder', `${basename(folder)} is a file, not a folder`, {
      hint: 'name a folder for the tables',
    });
  if (found && !overwrite && (await readdir(folder)).length > 0)
    fail('export.not_empty', `${basename(folder)} is not empty`, {
      hint: 'name another folder, or add --overwrite: files with the same names are replaced, all others stay',
    });
}

interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  /** Keeps what was written. */
  end(): Promise<void>;
  /** As if nothing had been written. */
  drop(): Promise<void>;
}

/** Pieces of text are gathered up to this size. */
const PIECE_BYTES = 1 << 18;

async function writeText(...[target, pieces, { signal }]: Parameters<ExportFiles['writeText']>): Promise<number> {
  const sink = target.path === null ? standardOutput() : await newFile(resolve(target.path));
  let bytes = 0;
  let waiting = '';
  const write = async (piece: Uint8Array): Promise<void> => {
    bytes += piece.length;
    await sink.write(piece);
  };
  const flush = async (): Promise<void> => {
    const text = waiting;
    waiting = '';
    if (text !== '') await write(Buffer.from(text));
  };
  try {
    for await (const piece of pieces) {
      signal.throwIfAborted();
      if (typeof piece === 'string') waiting += piece;
      else {
        await flush();
        await write(piece);
      }
      if (waiting.length >= PIECE_BYTES) await flush();
    }
    await flush();
    await sink.end();
    return bytes;
  } catch (error) {
    await sink.drop();
    throw error;
  }
}

async function newFile(path: string): Promise<Sink> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) fail('export.not_a_file', `${basename(path)} is a folder`, { hint: 'name a file' });
  await mkdir(dirname(path), { recursive: true });
  // What is no file (a device, a pipe) is written to as it is.
  const isFile = !found || found.isFile();
  const partial = isFile ? await scratchFileFor(path) : path;
  const file = await open(partial, 'w');
  return {
    write: async (bytes) => {
      for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
    },
    end: async () => {
      await file.close();
      if (isFile) await rename(partial, path);
    },
    drop: async () => {
      await file.close().catch(() => undefined);
      if (isFile) await rm(partial, { force: true });
    },
  };
}

/** Waits for its reader. */
function standardOutput(): Sink {
  const write = (bytes: Uint8Array): Promise<void> =>
    new Promise((done, failed) => process.stdout.write(bytes, (error) => (error ? failed(error) : done())));
  return { write, end: async () => undefined, drop: async () => undefined };
}
