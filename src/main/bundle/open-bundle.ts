import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { assert } from '../../base/assert.ts';
import { refuseChanged } from '../../core/bundle/check-bundle.ts';
import { ProblemError } from '../../model/problem.ts';
import { BUNDLE_SUFFIX, tableMember } from '../../model/storage/bundle.ts';
import type { CaseStorage, Opening, StoredCase } from '../../model/storage/case-storage.ts';
import { newScratch } from '../disk/scratch-folder.ts';
import { bundleMark, markLoaded } from '../engine/bundle-mark.ts';
import { openCaseFolder, putAside } from '../engine/case-folders.ts';
import { moveTables, temporary } from './bundle-files.ts';
import { type CheckedBundle, readBundle } from './read-bundle.ts';

export const isBundle = async (path: string): Promise<boolean> =>
  path.toLowerCase().endsWith(BUNDLE_SUFFIX) && ((await stat(path).catch(() => null))?.isFile() ?? false);

/**
 * Cases that may come as bundles: each is checked, and unpacked into a case of its own; opened again, that case is opened. It
 * is loaded aside and gets its place and its mark when its rows are in, so that what is there is whole.
 */
export function withBundles(storage: CaseStorage, root: string): CaseStorage {
  return {
    ...storage,
    open: async (path, opening) => {
      if (!(await isBundle(path))) return storage.open(path);
      return unpacked(path, opening, async (bundle) => {
        const { manifest } = bundle;
        const before = await openUnpacked(storage, root, manifest.root);
        if (before !== null) return before;
        const made = await storage.create(manifest.case, { aside: true });
        const { settle } = made;
        assert(settle !== undefined, 'bundles are unpacked where cases can be made aside');
        try {
          const settleMarked = async (): Promise<StoredCase> => {
            await markLoaded(made.path, { root: manifest.root, case: manifest.case });
            return settle();
          };
          return { ...made, name: manifest.case, bundle: await tablesFor(bundle, made), settle: settleMarked };
        } catch (error) {
          await made.engine.close();
          await made.discard?.();
          throw error;
        }
      });
    },
  };
}

/** Of cases that cannot be the bundle's: what their folders are called from then on. */
const useless: ReadonlyMap<string, string> = new Map([
  ['bundle.unfinished', 'not loaded'],
  ['case.damaged', 'damaged'],
]);

/**
 * The case that a bundle of this root hash was unpacked into before. Versions that marked a case before its rows were in left
 * empty ones behind when they were killed: the bundle is loaded anew then.
 */
async function openUnpacked(storage: CaseStorage, root: string, hash: string): Promise<StoredCase | null> {
  for (const name of await readdir(root).catch(() => [])) {
    const folder = join(root, name);
    if ((await bundleMark(folder))?.root !== hash) continue;
    try {
      return await storage.open(folder);
    } catch (error) {
      const why = error instanceof ProblemError ? useless.get(error.problem.code) : undefined;
      if (why === undefined) throw error;
      await putAside(folder, why);
    }
  }
  return null;
}

/** A bundle as a case that is gone when it is closed. @throws as {@link readBundle}, and bundle.changed */
export function openBundleOnce(path: string, opening?: Opening): Promise<StoredCase> {
  return unpacked(path, opening, async (bundle) => {
    const scratch = await newScratch('case');
    try {
      const made = await openCaseFolder(join(scratch.folder, 'case.faultline'), { create: true });
      return { ...temporary(made, scratch), name: bundle.manifest.case, bundle: await tablesFor(bundle, made) };
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  });
}

/** Checks a bundle, unpacks it into a folder of ours, and removes what `use` left of that. */
async function unpacked<T>(
  path: string,
  opening: Opening | undefined,
  use: (bundle: CheckedBundle) => Promise<T>,
): Promise<T> {
  const { folder, remove } = await newScratch('bundle');
  try {
    const { signal } = opening ?? new AbortController();
    const onProgress = (done: number, total: number) => opening?.onProgress('checking', done, total);
    const bundle = await readBundle(path, { key: null, signal, unpackTo: folder, onProgress });
    signal.throwIfAborted();
    refuseChanged(basename(path), bundle);
    return await use(bundle);
  } finally {
    await remove();
  }
}

/** The tables of an unpacked bundle, where the case's own engine may read them. */
async function tablesFor(
  { manifest, unpacked }: CheckedBundle,
  { engine }: StoredCase,
): Promise<NonNullable<StoredCase['bundle']>> {
  const tables = manifest.tables.map((table) => ({ ...table, path: unpacked.get(tableMember(table.table))! }));
  return { schema_version: manifest.schema_version, tables: await moveTables(engine, tables) };
}
