import { fail } from '../model/problem.ts';
import type { BundleFiles } from '../model/storage/bundle-files.ts';
import { firstNumber } from '../model/storage/engine.ts';
import { writeBundle } from './bundle/write-bundle.ts';

/** Where tables lie between being packed and being sealed. */
const pathOf = (table: string): string => `out/${table}`;

const desktopOnly = (what: string): never =>
  fail('viewer.desktop_only', `${what} are made by the desktop app or the command line`, {
    hint: 'save the whole case here, and open it there',
  });

/** Bundles that are written in the page: whole cases, not signed. @param onFile gets each finished one */
export function viewerBundles(onFile: (path: string, file: Blob) => void): BundleFiles {
  const packed = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    writeTables: async (engine, selects, { signal, onProgress }) => {
      const session = await engine.session();
      try {
        const tables = [];
        for (const [done, { table, columns, sql }] of selects.entries()) {
          onProgress('tables', done, selects.length);
          const counted = await session.query(`select count(*)::double from "${table}"`, [], signal);
          packed.set(pathOf(table), await session.queryParquet(sql, signal));
          tables.push({ table, columns, rows: firstNumber(counted), path: pathOf(table) });
        }
        return tables;
      } finally {
        session.close();
      }
    },
    moveTables: async () => desktopOnly('repaired cases'),
    stage: async () => desktopOnly('cuts and redacted bundles'),
    redact: async () => desktopOnly('redacted bundles'),
    seal: async ({ path, key }, { head, tables, report }, { onProgress }) => {
      if (key !== null) desktopOnly('signatures');
      const own = tables.map((table) => packed.get(table.path) ?? new Uint8Array(0));
      const { file, root } = await writeBundle({ head, tables, packed: own, report }, (done, total) =>
        onProgress('sealing', done, total),
      );
      onFile(path, file);
      return { bytes: file.size, root, signed_by: null };
    },
    clear: async () => packed.clear(),
  };
}
