import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { fail } from '../model/problem.ts';

/**
 * Reads a file again only when it has changed: its time, its size or its place on the disk, for editors write a new
 * file and rename it. One file system call where nothing has changed.
 * @param command that prints the path of the file
 * @returns null where there is no file
 * @throws ProblemError mechanisms.unreadable, thresholds.unreadable
 */
export function ownFile(path: string, command: 'mechanisms' | 'thresholds'): () => Promise<string | null> {
  let known: { readonly stamp: string; readonly text: string } | null = null;
  return async () => {
    try {
      const { mtimeNs, size, ino } = await stat(path, { bigint: true });
      const stamp = `${mtimeNs} ${size} ${ino}`;
      if (known?.stamp !== stamp) known = { stamp, text: await readFile(path, 'utf8') };
      return known.text;
    } catch (error) {
      known = null;
      const code = errorCode(error);
      if (code === 'ENOENT') return null;
      if (code === undefined) throw error;
      // The window shows this, and never learns a path.
      return fail(`${command}.unreadable`, `${basename(path)} cannot be read (${code})`, {
        hint: `make it a readable file, or remove it; \`faultline ${command} --edit-path\` prints its path`,
      });
    }
  };
}
