import { type CreatedApi, createApi } from '../core/api/index.ts';
import { readDetails } from '../main/sources/event-details/read-details.ts';
import type { FileHandle } from '../model/contract/index.ts';
import { fail } from '../model/problem.ts';
import { BUNDLE_SUFFIX } from '../model/storage/bundle.ts';
import type { BundlePreview, Opening, StoredCase } from '../model/storage/case-storage.ts';
import type { Engine } from '../model/storage/engine.ts';
import { AdoptedFiles } from './adopted-files.ts';
import { openBundle } from './bundle/open-bundle.ts';
import { viewerBundles } from './bundle-files.ts';

export interface Viewer extends CreatedApi {
  readonly files: AdoptedFiles;
}

/**
 * The core in a browser: bundles are opened, viewed, annotated and saved as new ones. Other desktop functions are absent;
 * their handlers answer with a one-line problem.
 * @param openEngine an empty database that can read these Parquet files
 */
export function createViewer({
  openEngine,
  version,
}: {
  readonly openEngine: (tables: ReadonlyMap<string, Blob>) => Promise<Engine>;
  readonly version: string;
}): Viewer {
  const files = new AdoptedFiles();
  const made = new Map<string, Blob>();
  const noImports = (): never =>
    fail('viewer.desktop_only', 'the viewer opens bundles (.flb) and imports nothing', {
      hint: 'recordings are imported by the desktop app or the command line',
    });
  const noCases = (): never =>
    fail('viewer.desktop_only', 'the viewer keeps no cases', { hint: 'drop a bundle on it' });
  const open = async (handle: string, opening: Opening = unwatched()): Promise<StoredCase> => {
    const { name, file } = files.get(handle);
    if (!name.toLowerCase().endsWith(BUNDLE_SUFFIX)) noImports();
    const tables = new Map<string, Blob>();
    let engine: Promise<Engine> | undefined;
    // The browser hashes beside this thread, which makes a database meanwhile.
    const onPreview = (preview: BundlePreview): void => {
      opening.onPreview(preview);
      engine = openEngine(tables);
    };
    const bundle = await openBundle(file, name, { ...opening, onPreview }).catch(async (error: unknown) => {
      await (await engine)?.close();
      throw error;
    });
    for (const [path, table] of bundle.files) tables.set(path, table);
    const { manifest } = bundle;
    return {
      engine: await (engine ?? openEngine(tables)),
      name: manifest.case,
      path: name,
      bundle: { schema_version: manifest.schema_version, tables: bundle.tables },
    };
  };
  // A path is a handle of what the page gave, or the name of what was made for it.
  const registered = (path: string): FileHandle => {
    const file = made.get(path);
    if (file) return files.adopt(path, file);
    const { name, file: adopted } = files.get(path);
    return { handle: path, name, bytes: adopted.size };
  };
  const created = createApi({
    host: {
      kind: 'viewer',
      abilities: [],
      pickFiles: async () => [],
      saveFile: async () => null,
      bundleTarget: async (name) => ({ path: name, key: null, download: true }),
    },
    version,
    storage: { open, create: async () => noCases(), recent: async () => [], openRecent: async () => noCases() },
    reader: {
      formats: [],
      inspect: async () => noImports(),
      columns: async () => noImports(),
      open: async () => noImports(),
      details: readDetails,
      eventMarks: [],
      places: noImports,
    },
    files: {
      register: async (path) => registered(path),
      path: (handle) => handle,
    },
    bundles: viewerBundles((path, file) => void made.set(path, file)),
    demoFiles: async () => noImports(),
    now: () => BigInt(Date.now()) * 1_000_000n,
  });
  return { ...created, files };
}

const unwatched = (): Opening => ({
  signal: new AbortController().signal,
  onProgress: () => undefined,
  onPreview: () => undefined,
});
