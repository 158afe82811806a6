import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const at = (path: string) => resolve(import.meta.dirname, path);
// Native or data-carrying packages stay outside the bundles and are the only production dependencies.
const external = ['@duckdb/node-bindings', '@napi-rs/keyring', 'koffi', 'bufferutil', 'utf-8-validate'];

export default defineConfig({
  main: {
    build: {
      externalizeDeps: false,
      rollupOptions: {
        external,
        input: {
          index: at('src/main/index.ts'),
          cli: at('src/main/cli.ts'),
          'import-worker': at('src/main/import-worker.ts'),
          'query-process': at('src/main/query-process.ts'),
          'nvml-thread': at('src/main/capture/nvml/thread.ts'),
          'otlp-thread': at('src/main/capture/otlp/thread.ts'),
          'prometheus-thread': at('src/main/capture/prometheus/thread.ts'),
        },
      },
    },
  },
  preload: {
    build: {
      // A sandboxed preload can require only electron, events, timers and url: one self-contained CJS file.
      externalizeDeps: false,
      rollupOptions: {
        input: { index: at('src/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('src/renderer'),
    plugins: [react()],
    build: {
      outDir: at('out/renderer'),
      rollupOptions: { input: at('src/renderer/index.html') },
      assetsInlineLimit: 0,
      minify: true,
      // Read from the disk beside it, never over a network: one file is the fastest.
      chunkSizeWarningLimit: 1200,
    },
  },
});
