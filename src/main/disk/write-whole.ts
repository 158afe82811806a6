import { type FileHandle, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { scratchFileFor } from './scratch-folder.ts';

/**
 * Writes a file that holds either what it held before or all of `content`, whenever the process or the machine stops. Two
 * writers at once leave what one of them wrote. What is no file (a device, a pipe) is written to as it is.
 * @throws the error of the system; no half-written file is left then
 */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  // A link stays one: what it leads to is written.
  const target = await realpath(path).catch(() => path);
  const found = await stat(target).catch(() => null);
  if (found && !found.isFile()) return writeFile(target, content);
  const partial = await scratchFileFor(target);
  try {
    const file = await open(partial, 'wx', found?.mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(target));
}

/** Makes names in a folder last; systems that cannot (Windows) make them last by themselves. */
export async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    await handle.sync();
  } catch {
    // A file system that does not sync folders.
  } finally {
    await handle?.close();
  }
}
