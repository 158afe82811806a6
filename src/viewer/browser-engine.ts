import type { DuckDBBindings } from '@duckdb/duckdb-wasm/blocking';
import { BROWSER_RUNTIME, createDuckDB, VoidLogger } from '@duckdb/duckdb-wasm/browser-blocking';
import duckdbModule from '@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url';
import initParquet from 'parquet-wasm/esm';
import parquetModule from 'parquet-wasm/esm/parquet_wasm_bg.wasm?url';
import type { Engine } from '../model/storage/engine.ts';
import { withTextFunctions } from './engine/text-functions.ts';
import { openWasmEngine } from './engine/wasm-engine.ts';

const runtime = withTextFunctions(BROWSER_RUNTIME);
let parquet: Promise<unknown> | undefined;
let ahead: Promise<DuckDBBindings> | undefined;
const SETTLED_MS = 1500;
/** Made while nobody has given anything yet, but not before the page stands: it takes a second, and this thread. */
const settled = setTimeout(() => {
  ahead = makeBindings();
}, SETTLED_MS);

async function makeBindings(): Promise<DuckDBBindings> {
  const bundle = { mainModule: duckdbModule, mainWorker: '' };
  const bindings = await createDuckDB({ mvp: bundle, eh: bundle }, new VoidLogger(), runtime);
  parquet ??= initParquet({ module_or_path: parquetModule });
  await Promise.all([bindings.instantiate(() => undefined), parquet]);
  return bindings;
}

/** DuckDB in this thread; both modules come from beside the page. */
export async function openBrowserEngine(tables: ReadonlyMap<string, Blob>): Promise<Engine> {
  clearTimeout(settled);
  const made = ahead ?? makeBindings();
  ahead = undefined;
  return openWasmEngine(await made, tables);
}
