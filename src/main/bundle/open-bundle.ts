import { mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { refuseChanged } from '../../core/bundle/check-bundle.ts';
import { BUNDLE_SUFFIX, type TableFile, tableMember } from '../../model/bundle.ts';
import type { CaseStorage, Opening, StoredCase } from '../../model/case-storage.ts';
import { BUNDLE_MARK, bundleMark } from '../engine/bundle-mark.ts';
import { openCaseFolder } from '../engine/case-folders.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { temporary } from './bundle-files.ts';
import { type CheckedBundle, readBundle } from './read-bundle.ts';

export const isBundle = async (path: string): Promise<boolean> =>
  path.toLowerCase().endsWith(BUNDLE_SUFFIX) && ((await stat(path).catch(() => null))?.isFile() ?? false);

/** Cases that may come as bundles: each is checked, and unpacked into a case of its own; opened again, that case is opened. */
export function withBundles(storage: CaseStorage, root: string): CaseStorage {
  return {
    ...storage,
    open: async (path, opening) => {
      if (!(await isBundle(path))) return storage.open(path);
      return unpacked(path, opening, async (bundle) => {
        const { manifest } = bundle;
        const before = await caseOf(root, manifest.root);
        if (before !== null) return storage.open(before);
        const made = await storage.create(manifest.case);
        try {
          await writeFile(join(made.path, BUNDLE_MARK), JSON.stringify({ root: manifest.root, case: manifest.case }));
          return { ...made, name: manifest.case, bundle: await handOver(bundle, made) };
        } catch (error) {
          await made.engine.close();
          await made.discard?.();
          throw error;
        }
      });
    },
  };
}

/** A bundle as a case that is gone when it is closed. @throws as {@link readBundle}, and bundle.changed */
export function openBundleOnce(path: string, opening?: Opening): Promise<StoredCase> {
  return unpacked(path, opening, async (bundle) => {
    const folder = await mkdtemp(join(tmpdir(), 'faultline-case-'));
    try {
      const made = await openCaseFolder(join(folder, 'case.faultline'), { create: true });
      return { ...temporary(made, folder), name: bundle.manifest.case, bundle: await handOver(bundle, made) };
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
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
  const folder = await mkdtemp(join(tmpdir(), 'faultline-bundle-'));
  try {
    const { signal } = opening ?? new AbortController();
    const onProgress = (done: number, total: number) => opening?.onProgress('checking', done, total);
    const bundle = await readBundle(path, { key: null, signal, unpackTo: folder, onProgress });
    signal.throwIfAborted();
    refuseChanged(basename(path), bundle);
    return await use(bundle);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The case that a bundle of this root hash was unpacked into before. */
async function caseOf(root: string, hash: string): Promise<string | null> {
  for (const name of await readdir(root).catch(() => [])) {
    const folder = join(root, name);
    if ((await bundleMark(folder))?.root === hash) return folder;
  }
  return null;
}

/** Moves the tables to where the case's own engine may read them. */
async function handOver(
  { manifest, unpacked }: CheckedBundle,
  { engine }: StoredCase,
): Promise<NonNullable<StoredCase['bundle']>> {
  const exchange = await exchangeOf(engine);
  const tables: TableFile[] = [];
  for (const table of manifest.tables) {
    const from = unpacked.get(tableMember(table.table)) as string;
    const path = join(exchange, `in-${table.table}.parquet`);
    await rename(from, path);
    tables.push({ ...table, path });
  }
  return { schema_version: manifest.schema_version, tables };
}
