import { randomBytes } from 'node:crypto';
import { promises as fs } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { z } from 'zod';
import type { FileHandle } from '../../model/contract/index.ts';
import { fail, ProblemError } from '../../model/problem.ts';
import { messages } from './messages.ts';

/** Handles of files that the investigator chose. All hosts share this: a window has handles, only main knows paths. */
export interface FileHandles {
  /** A regular file, or a folder (a `NAME.faultline` case); problems name the file and never its folder. */
  register(path: string): Promise<FileHandle>;
  path(handle: string): string;
}

/** A dropped archive can have thousands of files; beyond this number the oldest handles are removed. */
const MAX_HANDLES = 10_000;
const HANDLE_BYTES = 16;

async function inspect(path: string): Promise<{ readonly real: string; readonly bytes: number }> {
  const place = basename(path);
  try {
    const real = await fs.realpath(path);
    const stat = await fs.stat(real);
    // Devices and pipes never end, or block forever.
    if (!stat.isFile() && !stat.isDirectory()) fail('file.not_regular', messages.files.notRegular(place), { place });
    return { real, bytes: stat.isFile() ? stat.size : 0 };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null;
    if (code === null) throw error;
    const { missing, unreadable } = messages.files;
    if (code === 'ENOENT') fail('file.missing', missing.message(place), { place, hint: missing.hint });
    return fail('file.unreadable', unreadable.message(place, code), { place, hint: unreadable.hint });
  }
}

export function createFileHandles(limit: number = MAX_HANDLES): FileHandles {
  const paths = new Map<string, string>();
  return {
    register: async (path) => {
      const { real, bytes } = await inspect(path);
      const handle = randomBytes(HANDLE_BYTES).toString('hex');
      paths.set(handle, real);
      for (const oldest of paths.keys()) {
        if (paths.size <= limit) break;
        paths.delete(oldest);
      }
      return { handle, name: basename(path), bytes };
    },
    path: (handle) =>
      paths.get(handle) ??
      fail('file.unknown_handle', messages.files.unknown.message, { hint: messages.files.unknown.hint }),
  };
}

const pathSchema = z
  .string()
  .max(32_767)
  .refine((path) => isAbsolute(path) && !path.includes('\0'));

/** Registers the path of a file that was dropped on a window. The answer may go to the page, so it never contains the path. */
export async function adoptPath(files: FileHandles, path: unknown): Promise<FileHandle | { readonly problem: string }> {
  const parsed = pathSchema.safeParse(path);
  if (!parsed.success) return { problem: messages.files.onlyLocal };
  try {
    return await files.register(parsed.data);
  } catch (error) {
    // The text of any other error could name the folder.
    return { problem: error instanceof ProblemError ? error.problem.message : messages.files.cannotRead };
  }
}
