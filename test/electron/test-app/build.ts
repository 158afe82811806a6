import { resolve } from 'node:path';
import { build } from 'vite';

const root = resolve(import.meta.dirname, '../../..');

/** The real preload as one CommonJS file, the way the product's build makes it. */
export async function buildTestApp(): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    root,
    build: {
      outDir: resolve(root, '.standin/test-app'),
      emptyOutDir: true,
      minify: false,
      lib: { entry: resolve(root, 'src/preload/index.ts'), formats: ['cjs'], fileName: () => 'index.cjs' },
      rollupOptions: { external: ['electron'] },
    },
  });
}
