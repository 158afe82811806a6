import { createApi } from '../src/core/api/index.ts';
import { openCaseFolder } from '../src/main/engine/case-folders.ts';
import { createFileHandles } from '../src/main/hosts/file-handles.ts';
import { threadedReader } from '../src/main/sources/threaded-reader.ts';

/**
 * Imports files and folders into a new case by the ordinary importers, as the app does.
 * @throws Error when one of them cannot be imported
 */
export async function importPaths(casePath: string, paths: readonly string[]): Promise<void> {
  const handles = createFileHandles();
  const { api, close } = createApi({
    host: { kind: 'cli', pickFiles: async () => [], saveFile: async () => null },
    version: 'bench',
    storage: {
      open: () => openCaseFolder(casePath, { create: false }),
      create: () => openCaseFolder(casePath, { create: true }),
      recent: async () => [],
      openRecent: () => openCaseFolder(casePath, { create: false }),
    },
    reader: threadedReader(new URL('../out/main/import-worker.js', import.meta.url)),
    files: handles,
    demoFiles: async () => [],
    now: () => BigInt(Date.now()) * 1_000_000n,
  });
  try {
    const registered = await Promise.all(paths.map(async (path) => (await handles.register(path)).handle));
    for await (const event of api['import.run']({ handles: registered, keep: true }))
      if (event.kind === 'problem') throw new Error(`${event.problem.message} (${event.problem.hint ?? ''})`);
  } finally {
    await close();
  }
}
