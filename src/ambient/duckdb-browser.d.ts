/** The library's single-threaded browser build, which its package does not export; `viewer.vite.config.ts` has its path. */
declare module '@duckdb/duckdb-wasm/browser-blocking' {
  import type { DuckDBBindings, DuckDBBundles, DuckDBRuntime, Logger } from '@duckdb/duckdb-wasm/blocking';
  export const BROWSER_RUNTIME: DuckDBRuntime;
  export class VoidLogger implements Logger {
    log(): void;
  }
  export function createDuckDB(bundles: DuckDBBundles, logger: Logger, runtime: DuckDBRuntime): Promise<DuckDBBindings>;
}
