import { BROWSER_RUNTIME, createDuckDB, VoidLogger } from '@duckdb/duckdb-wasm/browser-blocking';
import duckdbModule from '@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url';
import initParquet from 'parquet-wasm/esm';
import parquetModule from 'parquet-wasm/esm/parquet_wasm_bg.wasm?url';
import type { Engine } from '../model/engine.ts';
import { withTextFunctions } from './engine/text-functions.ts';
import { openWasmEngine } from './engine/wasm-engine.ts';

const runtime = withTextFunctions(BROWSER_RUNTIME);
let parquet: Promise<unknown> | undefined;

/** DuckDB in this thread; both modules come from beside the page. */
export async function openBrowserEngine(tables: ReadonlyMap<string, Blob>): Promise<Engine> {
  const bundle = { mainModule: duckdbModule, mainWorker: null };
  const bindings = await createDuckDB(
    { mvp: { ...bundle, mainWorker: '' }, eh: { ...bundle, mainWorker: '' } },
    new VoidLogger(),
    runtime,
  );
  parquet ??= initParquet({ module_or_path: parquetModule });
  await Promise.all([bindings.instantiate(), parquet]);
  return openWasmEngine(bindings, tables);
}
