import type { DuckDBBindings } from '@duckdb/duckdb-wasm/blocking';
import type { Engine } from '../../model/storage/engine.ts';
import { jsonFunctions, jsonMacros } from './json-functions.ts';
import { registerTextFunctions } from './text-functions.ts';
import { wasmSession } from './wasm-session.ts';

/**
 * An empty database in memory of its own. It sees no file and no network, and fetches no extension.
 * @param bindings fresh ones, of a runtime made by `withTextFunctions`
 * @param parquet tables of the bundle that it is to be filled from, by path
 */
export function openWasmEngine(bindings: DuckDBBindings, parquet: ReadonlyMap<string, Blob>): Engine {
  bindings.open({ path: ':memory:', query: {} });
  registerTextFunctions(bindings, jsonFunctions);
  const connection = bindings.connect();
  for (const setting of settings) connection.query(setting);
  connection.query(jsonMacros);
  connection.close();
  return {
    session: async () => wasmSession(bindings, parquet),
    checkpoint: async () => undefined,
    close: async () => bindings.reset(),
  };
}

const settings = [
  'set autoinstall_known_extensions = false',
  'set autoload_known_extensions = false',
  'set enable_external_access = false',
  'set lock_configuration = true',
];
