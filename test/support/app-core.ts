import { onTestFinished } from 'vitest';
import type { CreatedApi } from '../../src/core/api/index.ts';
import { compose } from '../../src/main/compose.ts';
import { createFileHandles } from '../../src/main/hosts/file-handles.ts';

const workerFile = new URL('../../out/main/import-worker.js', import.meta.url);

export interface AppCore extends CreatedApi {
  /** A handle for a file or folder, as a window would get it. */
  register(path: string): Promise<string>;
}

/** The core as the app puts it together, with its own storage below `root`; closed when the test ends. */
export function appCore(root: string): AppCore {
  const files = createFileHandles();
  const host = { kind: 'web' as const, pickFiles: async () => [], saveFile: async () => null };
  const created = compose({ host, files, workerFile, root });
  onTestFinished(() => created.close());
  return { ...created, register: async (path) => (await files.register(path)).handle };
}
