import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const at = (path: string) => resolve(import.meta.dirname, path);

/** The browser viewer: a folder of files for any web server, with addresses relative to wherever it is put. */
export default defineConfig({
  root: at('src/viewer'),
  base: './',
  plugins: [react()],
  resolve: {
    alias: {
      '@duckdb/duckdb-wasm/browser-blocking': at('node_modules/@duckdb/duckdb-wasm/dist/duckdb-browser-blocking.mjs'),
    },
  },
  worker: { format: 'es', rolldownOptions: { checks: { eval: false, pluginTimings: false } } },
  build: {
    outDir: at('out/viewer'),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    chunkSizeWarningLimit: 4000,
    // What Emscripten would evaluate is never reached, and the page's policy would refuse it.
    rolldownOptions: { checks: { eval: false, pluginTimings: false } },
  },
});
