import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for what has to be unpacked. */
export interface ScratchFolder {
  readonly folder: string;
  remove(): Promise<void>;
}

const SCRATCH = 'faultline-import-';
/** Longer than any import runs. */
const ABANDONED_MS = 24 * 3600 * 1000;
let _swept: Promise<void> | undefined;

/** What a killed process unpacked is evidence that lies about: the next one removes it when it is a day old. */
async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(SCRATCH)) continue;
    const folder = join(tmpdir(), name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(folder, { recursive: true, force: true });
  }
}

export async function newScratch(): Promise<ScratchFolder> {
  // Another user's folder, or one that goes meanwhile, is nobody's trouble here.
  _swept ??= sweep().catch(() => undefined);
  const folder = await mkdtemp(join(tmpdir(), SCRATCH));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
