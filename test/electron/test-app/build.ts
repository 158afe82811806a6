import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';

const root = resolve(import.meta.dirname, '../../..');

/** The real preload as one CommonJS file, the way the product's build makes it; in a folder of its own, for runs side by side. */
export async function buildTestPreload(): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-preload-'));
  await build({
    configFile: false,
    logLevel: 'warn',
    root,
    build: {
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      lib: { entry: resolve(root, 'src/preload/index.ts'), formats: ['cjs'], fileName: () => 'index.cjs' },
      rollupOptions: { external: ['electron'] },
    },
  });
  return { folder, file: join(folder, 'index.cjs') };
}
