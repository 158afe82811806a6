import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const at = (path: string) => resolve(import.meta.dirname, path);
// Native or data-carrying packages stay outside the bundles and are the only production dependencies.
const external = ['@duckdb/node-bindings', '@napi-rs/keyring', 'koffi', 'bufferutil', 'utf-8-validate'];

/** What `faultline --version` states. An archive of the sources has no history: who builds from one gives it in FAULTLINE_COMMIT. */
function commit(): string {
  const given = process.env.FAULTLINE_COMMIT;
  if (given) return given;
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ', changed';
    return `${git('rev-parse', '--short=12', 'HEAD')}${changed}`;
  } catch {
    return 'unknown';
  }
}

export default defineConfig({
  main: {
    define: { FAULTLINE_COMMIT: JSON.stringify(commit()) },
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
      // Views that are not open yet are files of their own (`lazyPart`); what the first page shows is in few.
      chunkSizeWarningLimit: 1200,
    },
  },
});
