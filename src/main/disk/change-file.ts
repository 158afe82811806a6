import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { errorCode } from '../../base/error-code.ts';
import { TaskQueue } from '../../base/task-queue.ts';
import { writeWhole } from './write-whole.ts';

/** Longer than any change of a small file takes: the process that made the lock was killed. */
const STALE_MS = 5000;
const AGAIN_MS = 20;

const queues = new Map<string, TaskQueue>();

/**
 * Changes a small file of texts that several windows and processes change: each change sees what the one before wrote.
 * @param change gets what the file holds, null where there is none; what it answers is written, null: nothing is
 */
export async function changeFile(path: string, change: (text: string | null) => string | null): Promise<void> {
  const own = queues.get(path) ?? new TaskQueue();
  queues.set(path, own);
  await own.take(async () => {
    await mkdir(dirname(path), { recursive: true });
    const unlock = await lock(`${path}.lock`);
    try {
      const before = await readFile(path, 'utf8').catch(() => null);
      const after = change(before);
      if (after !== null && after !== before) await writeWhole(path, after);
    } finally {
      await unlock();
    }
  }, new AbortController().signal);
}

async function lock(path: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      await (await open(path, 'wx', 0o600)).close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      const made = await stat(path).catch(() => null);
      if (made && Date.now() - made.mtimeMs > STALE_MS) await rm(path, { force: true });
      await wait(AGAIN_MS);
    }
  }
}
