import { randomBytes } from 'node:crypto';
import { promises as fs } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { z } from 'zod';
import type { FileHandle } from '../../model/contract/index.ts';
import { fail, ProblemError } from '../../model/problem.ts';

/** Tickets for files the user chose. Every host shares this: a window holds tickets, only main knows paths. */
export interface FileHandles {
  /** A regular file, or a folder (a `NAME.faultline` case); problems name the file and never its folder. */
  register(path: string): Promise<FileHandle>;
  path(handle: string): string;
}

/** A drop of a whole archive is some thousands of files; the oldest tickets give way. */
const MAX_HANDLES = 10_000;
const HANDLE_BYTES = 16;

async function inspect(path: string): Promise<{ readonly real: string; readonly bytes: number }> {
  const place = basename(path);
  try {
    const real = await fs.realpath(path);
    const stat = await fs.stat(real);
    // Devices and pipes never end, or block for ever.
    if (!stat.isFile() && !stat.isDirectory())
      fail('file.not_regular', `${place} is neither a file nor a folder`, { place });
    return { real, bytes: stat.isFile() ? stat.size : 0 };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null;
    if (code === null) throw error;
    if (code === 'ENOENT')
      fail('file.missing', `there is no file ${place}`, { place, hint: 'it may have been moved or deleted' });
    return fail('file.unreadable', `${place} cannot be read (${code})`, {
      place,
      hint: 'check who may read this file',
    });
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
      fail('file.unknown_handle', 'this file has to be chosen again', {
        hint: 'drop it once more, or pick it in the dialog',
      }),
  };
}

const pathSchema = z
  .string()
  .max(32_767)
  .refine((path) => isAbsolute(path) && !path.includes('\0'));

/** For a path that a window's preload found behind a dropped file: the answer may go to the page, so it never holds it. */
export async function adoptPath(files: FileHandles, path: unknown): Promise<FileHandle | { readonly problem: string }> {
  const parsed = pathSchema.safeParse(path);
  if (!parsed.success) return { problem: 'Only files on this computer can be opened.' };
  try {
    return await files.register(parsed.data);
  } catch (error) {
    // The text of any other error could name the folder.
    return { problem: error instanceof ProblemError ? error.problem.message : 'This file cannot be read.' };
  }
}
