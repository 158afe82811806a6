import { constants } from 'node:fs';
import { copyFile, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../../model/problem.ts';
import type { Engine } from '../../model/storage/engine.ts';
import { newScratch } from '../disk/scratch-folder.ts';
import { openNativeEngine } from './native-engine.ts';

/** DuckDB's file begins with a header of each of three blocks: the last two state in turn which checkpoint is valid. */
const HEADER_BYTES = 3 * 4096;
/** A checkpoint lasts a moment: what was copied during one is copied again. */
const MOST_TRIES = 5;

/** A copy of a case's database as it was at one moment. */
export interface CaseCopy {
  readonly engine: Engine;
  /** When copying began, by this process's steady clock. */
  readonly made_ms: number;
  /** Whether the case is still as it was then. */
  isCurrent(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Copies the database of a case that another process has open. It is changed in place by checkpoints only; what was committed
 * since the last one is in its log. Must not run in the process that has it open: to close the file would end its lock.
 * @param path the database file
 */
export async function copyCase(path: string): Promise<CaseCopy> {
  const scratch = await newScratch('case');
  const [made_ms, before] = [performance.now(), await stateOf(path)];
  const to = join(scratch.folder, 'case.duckdb');
  try {
    await copyWhole(path, to);
    const engine = await openNativeEngine(to);
    const close = async () => {
      await engine.close();
      await scratch.remove();
    };
    return { engine, made_ms, isCurrent: async () => (await stateOf(path)) === before, close };
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

async function copyWhole(from: string, to: string): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const header = await headerOf(from);
    // A file system that shares blocks copies nothing.
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await copyFile(`${from}.wal`, `${to}.wal`, constants.COPYFILE_FICLONE).catch(() =>
      rm(`${to}.wal`, { force: true }),
    );
    if (header.equals(await headerOf(from))) return;
  }
  fail('sql.busy', 'this case is being written to all the time', { hint: 'ask again in a moment' });
}

async function headerOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Changes with every commit and every checkpoint. */
async function stateOf(path: string): Promise<string> {
  const states = await Promise.all(
    [path, `${path}.wal`].map((file) =>
      stat(file, { bigint: true }).then(
        ({ size, mtimeNs }) => `${size} ${mtimeNs}`,
        () => 'none',
      ),
    ),
  );
  return states.join(', ');
}
