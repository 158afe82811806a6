import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreatedApi } from '../src/core/api/index.ts';
import { compose } from '../src/main/compose.ts';
import { createFileHandles } from '../src/main/hosts/file-handles.ts';

const workerFile = new URL('../out/main/import-worker.js', import.meta.url);

/** Of a case with an incident, small enough to be imported and judged in no time. */
export const incidentFiles: readonly string[] = ['topology', 'traces', 'events'].map((file) =>
  join(import.meta.dirname, '../fixtures/incidents/pdu-sag', `${file}.json`),
);

export interface App extends CreatedApi {
  /** Where it keeps its cases. */
  readonly root: string;
  /** Where it writes a bundle to. */
  readonly bundle: string;
  register(path: string): Promise<string>;
}

/** The app without a window: the same parts, in a folder of its own. A person who is asked says no to everything. */
export function openApp(root: string = mkdtempSync(join(tmpdir(), 'faultline-app-'))): App {
  const files = createFileHandles();
  const bundle = join(root, 'out.flb');
  const host = {
    bundleTarget: async () => ({ path: bundle, key: null, download: false }),
    kind: 'web' as const,
    pickFiles: async () => [],
    saveFile: async () => null,
    confirm: async () => 'no' as const,
  };
  return {
    ...compose({ host, files, workerFile, root }),
    root,
    bundle,
    register: async (path) => (await files.register(path)).handle,
  };
}
