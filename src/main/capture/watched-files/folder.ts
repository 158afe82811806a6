import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../../base/error-code.ts';

const MOST_STARS = 4;

/** File names in one folder: `*` is any text, `?` any character. */
const namePatternSchema = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => !/[/\\]/.test(text), 'is a name in the folder, without /')
  .refine((text) => text.split('*').length - 1 <= MOST_STARS, `has at most ${MOST_STARS} *`);

/** Of a watched folder: a plan of a window may set it where it may name the folder. */
export const watchedNamesSchema = namePatternSchema.meta({ local: true, watched: 'names' });

/** A file of a watched folder. */
export interface WatchedFile {
  readonly name: string;
  /** Where it is, without links. */
  readonly location: string;
  /** Of the file itself, also after it was renamed. */
  readonly id: string;
  readonly bytes: number;
  readonly modified_ms: number;
}

export interface FolderListing {
  /** By name. */
  readonly files: readonly WatchedFile[];
  /** Files that fit the pattern and are not read: how many, by reason. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/**
 * Regular files of a folder whose names fit a pattern; links only if their target is in the same folder.
 *
 * @param most the files first by name; others are counted
 * @throws the system's error if the folder cannot be read
 */
export async function listFolder(folder: string, pattern: string, most: number): Promise<FolderListing> {
  const root = await realpath(folder);
  const fits = patternTest(pattern);
  const names = (await readdir(root)).filter(fits).sort();
  const files: WatchedFile[] = [];
  const leftOut = new Map<string, number>();
  for (const name of names) {
    const found = files.length < most ? await fileIn(root, name) : `beyond the ${most} files that the plan allows`;
    if (typeof found !== 'string') files.push(found);
    else if (found !== '') leftOut.set(found, (leftOut.get(found) ?? 0) + 1);
  }
  return { files, leftOut };
}

/** A reason if it is not read; '' if it is gone. */
async function fileIn(root: string, name: string): Promise<WatchedFile | string> {
  try {
    const location = await realpath(join(root, name));
    const isInside = dirname(location) === root && basename(location) !== '';
    if (!isInside) return 'links that lead out of the folder';
    const found = await stat(location);
    if (!found.isFile()) return found.isDirectory() ? '' : 'pipes, devices and sockets';
    return { name, location, id: idOf(found), bytes: found.size, modified_ms: found.mtimeMs };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return errorCode(error) === 'ENOENT' ? '' : withCode(error);
  }
}

const idOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`;

/**
 * Opens a listed file for reading: not if it was replaced by a link, or by a pipe, since.
 *
 * @returns null if another file is there now @throws the system's error
 */
export async function openWatched({ location, id }: WatchedFile): Promise<FileHandle | null> {
  // Opening a pipe must not wait for its writer.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(location, flags);
  const found = await handle.stat();
  if (found.isFile() && idOf(found) === id) return handle;
  await handle.close();
  return null;
}

/** Of the file system, as against our own mistakes. */
export const isSystemError = (error: unknown): boolean =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';

/** Why a file or folder cannot be read, for people. */
export function withCode(error: unknown): string {
  const code = errorCode(error);
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ENOENT') return 'does not exist';
  return code === 'ENOTDIR' ? 'is no folder' : `cannot be read (${code})`;
}

/** `, left out: 2 permission denied, 1 larger than 64 MiB`; '' for nothing. */
export function leftOutText(leftOut: ReadonlyMap<string, number>): string {
  const parts = [...leftOut].sort(([a], [b]) => (a < b ? -1 : 1)).map(([reason, count]) => `${count} ${reason}`);
  return parts.length === 0 ? '' : `; left out: ${parts.join(', ')}`;
}

/** Name of the folder itself: `/scratch/job-7/dumps` is `dumps`. */
export const folderName = (folder: string): string => basename(folder.endsWith(sep) ? folder.slice(0, -1) : folder);

function patternTest(pattern: string): (name: string) => boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  const test = new RegExp(`^${source}$`, 's');
  return (name) => test.test(name);
}
