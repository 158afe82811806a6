/** The library's build for one thread of a browser, which its package does not export; `viewer.vite.config.ts` says where it is. */
declare module '@duckdb/duckdb-wasm/browser-blocking' {
  import type { DuckDBBindings, DuckDBBundles, DuckDBRuntime, Logger } from '@duckdb/duckdb-wasm/blocking';
  export const BROWSER_RUNTIME: DuckDBRuntime;
  export class VoidLogger implements Logger {
    log(): void;
  }
  export function createDuckDB(bundles: DuckDBBundles, logger: Logger, runtime: DuckDBRuntime): Promise<DuckDBBindings>;
}
