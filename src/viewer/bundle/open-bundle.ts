import { checkBundle, refuseChanged } from '../../core/bundle/check-bundle.ts';
import { fail } from '../../model/problem.ts';
import { type BundleCheck, type TableFile, tableMember } from '../../model/storage/bundle.ts';
import type { Opening } from '../../model/storage/case-storage.ts';
import { webSeals } from './web-seals.ts';
import { openZipArchive } from './zip-archive.ts';

export interface OpenedBundle extends BundleCheck {
  readonly tables: readonly TableFile[];
  /** Members with tables, by the paths that `tables` names. */
  readonly files: ReadonlyMap<string, Blob>;
}

/**
 * Verifies a bundle that the page was given; nothing of it is copied.
 * @throws ProblemError bundle.not_a_bundle, bundle.newer_format, bundle.too_large, bundle.changed, viewer.insecure
 */
export async function openBundle(
  file: Blob,
  name: string,
  { signal, onProgress, onPreview }: Opening,
): Promise<OpenedBundle> {
  // Browsers keep it from pages that came over plain http from elsewhere.
  if (!globalThis.crypto?.subtle)
    fail('viewer.insecure', 'this page cannot check a bundle: it did not come by https or from this machine', {
      hint: 'put the viewer behind https, or serve it on localhost',
    });
  const archive = await openZipArchive(file, name);
  const check = await checkBundle(archive, webSeals, {
    signal,
    onProgress: (done, total) => onProgress('checking', done, total),
    onReport: (manifest, signed_by, report) => onPreview({ case: manifest.case, signed_by, report }),
  });
  refuseChanged(name, check);
  const tables = check.manifest.tables.map((table) => ({ ...table, path: tableMember(table.table) }));
  return { ...check, tables, files: new Map(tables.map(({ path }) => [path, archive.slice(path)])) };
}
