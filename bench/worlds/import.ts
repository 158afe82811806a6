import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createApi } from '../../src/core/api/index.ts';
import { createReader, type Reader } from '../../src/core/store/facts/reader.ts';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { createFileHandles } from '../../src/main/hosts/file-handles.ts';
import { threadedReader } from '../../src/main/sources/threaded-reader.ts';

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
    await importInto(path, join(folder, 'files'));
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

async function importInto(path: string, files: string): Promise<void> {
  const handles = createFileHandles();
  const { api, close } = createApi({
    host: { kind: 'cli', pickFiles: async () => [], saveFile: async () => null },
    version: 'bench',
    storage: {
      open: () => openCaseFolder(path, { create: false }),
      create: () => openCaseFolder(path, { create: true }),
      recent: async () => [],
      openRecent: () => openCaseFolder(path, { create: false }),
    },
    reader: threadedReader(new URL('../../out/main/import-worker.js', import.meta.url)),
    files: handles,
    demoFiles: async () => [],
    now: () => BigInt(Date.now()) * 1_000_000n,
  });
  try {
    const { handle } = await handles.register(files);
    for await (const event of api['import.run']({ handles: [handle], keep: true }))
      if (event.kind === 'problem') throw new Error(`${event.problem.message} (${event.problem.hint ?? ''})`);
  } finally {
    await close();
  }
}
