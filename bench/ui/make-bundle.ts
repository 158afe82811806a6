import { bundleSelects } from '../../src/core/store/copies/bundle-tables.ts';
import { SCHEMA_VERSION } from '../../src/core/store/tables/index.ts';
import { bundleFiles } from '../../src/main/bundle/bundle-files.ts';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';

/** The case in a folder as a bundle. @returns its size in bytes */
export async function makeBundle(folder: string, path: string): Promise<number> {
  const work = { signal: new AbortController().signal, onProgress: () => undefined };
  const { engine } = await openCaseFolder(folder, { create: false });
  const bundles = bundleFiles(async () => '');
  const session = await engine.session();
  const selects = await bundleSelects(session);
  session.close();
  const tables = await bundles.writeTables(engine, selects, work);
  const head = { schema_version: SCHEMA_VERSION, app_version: 'bench', case: 'bench', excerpt: null, sources: [] };
  // As long as that of a case with a dozen incidents.
  const report = `# Post-mortem\n\n${'Voltage sag on PDU-B, probability 0.98 (likely). '.repeat(2000)}\n`;
  const { bytes } = await bundles.seal({ path, key: null }, { head, tables, report }, work);
  await bundles.clear(engine);
  await engine.close();
  return bytes;
}
