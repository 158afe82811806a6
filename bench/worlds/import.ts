import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createReader, type Reader } from '../../src/core/store/facts/reader.ts';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { importPaths } from '../import-paths.ts';

/** Writes the files of a recording below a folder. */
export async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/**
 * Puts files through the ordinary importers into a case, which is gone afterwards. Needs a build (`npm run build`).
 * @throws Error when a file that a world wrote cannot be imported
 */
export async function withCase<T>(
  files: ReadonlyMap<string, string>,
  use: (reader: Reader, milliseconds: number) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-world-'));
  try {
    await writeFiles(join(folder, 'files'), files);
    const path = join(folder, 'world.faultline');
    const from = performance.now();
    await importPaths(path, [join(folder, 'files')]);
    const milliseconds = performance.now() - from;
    const { engine } = await openCaseFolder(path, { create: false });
    const session = await engine.session();
    try {
      return await use(createReader(session), milliseconds);
    } finally {
      session.close();
      await engine.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
