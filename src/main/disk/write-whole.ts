import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file that holds either what it held before or all of `text`, whenever the process or the machine stops.
 * Two writers at once leave the text of one of them.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const partial = `${path}.${randomBytes(8).toString('hex')}.new`;
  try {
    const file = await open(partial, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
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
