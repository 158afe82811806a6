import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fail } from '../../model/problem.ts';

/** Database files that this process has open, by real path, with what resolves when each is closed. */
const open = new Map<string, Promise<void>>();

/**
 * Keeps a database file for one engine of this process; one that is being closed is waited for a moment.
 * @returns what must be called when the file is closed
 * @throws ProblemError case.locked
 */
export async function claimDatabase(path: string): Promise<() => void> {
  if (path === ':memory:') return () => undefined;
  const file = await realFile(path);
  const before = open.get(file);
  if (before) await Promise.race([before, patience()]);
  if (open.has(file))
    fail('case.locked', 'this case is open already', { hint: 'close it first, or use the window that has it open' });
  const closed = Promise.withResolvers<void>();
  open.set(file, closed.promise);
  return () => {
    if (open.get(file) === closed.promise) open.delete(file);
    closed.resolve();
  };
}

/** Whether this process has a database file open. */
export const isClaimed = async (path: string): Promise<boolean> => open.has(await realFile(path));

/** How long somebody else's closing may take; one that is in use is not waited for longer. */
const PATIENCE_MS = 2000;

const patience = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS);
  });

/** Also of a file that is still to be made. */
async function realFile(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  return real ?? join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path));
}
