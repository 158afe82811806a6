import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, onTestFinished } from 'vitest';
import type { ApiDependencies } from '../../src/core/api/dependencies.ts';
import { createApi } from '../../src/core/api/index.ts';
import { bundleFiles } from '../../src/main/bundle/bundle-files.ts';
import { isBundle, openBundleOnce } from '../../src/main/bundle/open-bundle.ts';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { exportFiles } from '../../src/main/exports/export-files.ts';
import { createFileHandles } from '../../src/main/hosts/file-handles.ts';
import { threadedReader } from '../../src/main/sources/threaded-reader.ts';
import type { Api, ImportEvent, SourceInfo } from '../../src/model/contract/index.ts';
import type { StoredCase } from '../../src/model/storage/case-storage.ts';
import type { Engine } from '../../src/model/storage/engine.ts';
import type { ExportTarget } from '../../src/model/storage/export-files.ts';
import type { Feeds } from '../../src/model/storage/feed.ts';
import { inThreadReader } from './in-thread-reader.ts';
import { removeFolder } from './remove-folder.ts';

/** The built worker: it is what users run, and it starts faster than stripping the types of its sources. */
const workerFile = new URL('../../out/main/import-worker.js', import.meta.url);

/** Takes what has to be done at an end. */
type AtEnd = (work: () => Promise<void>) => void;

/** A folder of its own, gone afterwards. @param atEnd of the running test, unless another end is meant */
export async function temporaryFolder(atEnd: AtEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-test-'));
  atEnd(() => removeFolder(folder));
  return folder;
}

export interface TestCore {
  readonly api: Api;
  readonly path: string;
  /** Where `bundle.write` writes to, and the key that signs. */
  bundleTo(path: string, key: string | null): void;
  /** Where the exports write to. */
  exportTo(path: string, overwrite?: boolean): void;
  /** A handle for a file or folder, as a host would hand out. */
  register(path: string): Promise<string>;
  /** Imports files by path and keeps whatever can be read of them; never throws, returns all events. */
  import(files: readonly string[], signal?: AbortSignal): Promise<ImportEvent[]>;
  /** Imports documents given as values, each as a JSON file. */
  importJson(...documents: readonly unknown[]): Promise<ImportEvent[]>;
  sources(events: readonly ImportEvent[]): SourceInfo[];
  close(): Promise<void>;
}

export interface CoreOptions extends Pick<ApiDependencies, 'mechanismsFile' | 'thresholdsFile' | 'archives'> {
  readonly feeds?: Feeds;
  /** Import in worker threads, as the app does; without, in this thread, which is faster for small files. */
  readonly threads?: boolean;
  /** The case lies in memory, for tests of conclusions: it has no path, and ends with its test. */
  readonly inMemory?: boolean;
  /** The case lies in this one. */
  readonly engine?: Engine;
  /** When it is closed; with the running test, when left out. */
  readonly atEnd?: AtEnd;
}

async function memoryCase(engine?: Engine): Promise<StoredCase> {
  return { engine: engine ?? (await openNativeEngine(':memory:')), name: 'test', path: '', isNew: true };
}

/** The real core on a real case in a temporary folder. */
export async function openTestCore(
  existing?: string,
  { feeds, threads = false, inMemory = false, engine, atEnd = onTestFinished, ...more }: CoreOptions = {},
): Promise<TestCore> {
  const folder = await temporaryFolder(atEnd);
  const path = existing ?? join(folder, 'test.faultline');
  const files = createFileHandles();
  let target: { path: string; key: string | null; download: boolean } | null = null;
  let exportTarget: ExportTarget | null = null;
  const { api, close } = createApi({
    host: {
      kind: 'cli',
      pickFiles: async () => [],
      saveFile: async () => null,
      bundleTarget: async () => target,
      exportTarget: async () => exportTarget,
    },
    exports: exportFiles,
    bundles: bundleFiles(async (place) => `no secret at ${place}`),
    version: 'test',
    storage: {
      open: () => openCaseFolder(path, { create: false }),
      create: () => (inMemory || engine ? memoryCase(engine) : openCaseFolder(path, { create: true })),
      recent: async () => [],
      openRecent: async () => ((await isBundle(path)) ? openBundleOnce(path) : openCaseFolder(path, { create: false })),
    },
    reader: threads ? threadedReader(workerFile) : inThreadReader(),
    scratch: () => openNativeEngine(':memory:'),
    files,
    ...more,
    ...(feeds && { feeds: async () => feeds }),
    demoFiles: async () => [],
    now: () => BigInt(Date.now()) * 1_000_000n,
  });
  atEnd(() => close());
  if (existing) await api['case.open']({ recent: 'it' });
  const importFiles = async (paths: readonly string[], signal?: AbortSignal): Promise<ImportEvent[]> => {
    const handles = await Promise.all(paths.map(async (file) => (await files.register(file)).handle));
    const events: ImportEvent[] = [];
    for await (const event of api['import.run']({ handles, keep: true }, signal ? { signal } : {})) events.push(event);
    return events;
  };
  return {
    api,
    path,
    close,
    bundleTo: (file, key) => {
      target = { path: file, key, download: false };
    },
    exportTo: (file, overwrite = false) => {
      exportTarget = { path: file, overwrite, download: false };
    },
    register: async (file) => (await files.register(file)).handle,
    import: importFiles,
    importJson: async (...documents) => {
      const paths = await Promise.all(
        documents.map(async (document, i) => {
          const file = join(folder, `document-${i}-${Math.random().toString(36).slice(2)}.json`);
          await writeFile(file, JSON.stringify(document));
          return file;
        }),
      );
      return importFiles(paths);
    },
    sources: (events) => events.flatMap((event) => (event.kind === 'source' ? [event.source] : [])),
  };
}

/** The real core on a case in memory: for tests of conclusions, which need no file. */
export const memoryCore = (options: CoreOptions = {}): Promise<TestCore> =>
  openTestCore(undefined, { ...options, inMemory: true });

/**
 * One case in memory for the tests of a file that only read it: what costs most of a test of conclusions is to import and to judge.
 * Made before the first test, closed after the last one.
 */
export function sharedCore(fill: (core: TestCore, folder: string) => Promise<unknown>): () => TestCore {
  let core: TestCore | undefined;
  beforeAll(async () => {
    const ends: (() => Promise<void>)[] = [];
    const atEnd: AtEnd = (work) => void ends.unshift(work);
    core = await memoryCore({ atEnd });
    await fill(core, await temporaryFolder(atEnd));
    return async () => {
      for (const end of ends) await end();
    };
  });
  return () => core!;
}
