import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { createDuckDB, NODE_RUNTIME, VoidLogger } from '@duckdb/duckdb-wasm/blocking';
import init from 'parquet-wasm/esm';
import { onTestFinished } from 'vitest';
import type { Engine } from '../../src/model/storage/engine.ts';
import { withTextFunctions } from '../../src/viewer/engine/text-functions.ts';
import { openWasmEngine } from '../../src/viewer/engine/wasm-engine.ts';
import { createViewer, type Viewer } from '../../src/viewer/viewer-core.ts';

const require = createRequire(import.meta.url);
const file = (name: string): string => require.resolve(name);
let parquet: Promise<unknown> | undefined;

/** The viewer's engine without a browser: the same WebAssembly, read from the disk. */
export async function openNodeWasmEngine(tables: ReadonlyMap<string, Blob> = new Map()): Promise<Engine> {
  parquet ??= readFile(file('parquet-wasm/esm/parquet_wasm_bg.wasm')).then((bytes) => init({ module_or_path: bytes }));
  await parquet;
  const eh = { mainModule: file('@duckdb/duckdb-wasm/dist/duckdb-eh.wasm'), mainWorker: '' };
  const bindings = await createDuckDB({ mvp: eh, eh }, new VoidLogger(), withTextFunctions(NODE_RUNTIME));
  await bindings.instantiate();
  return openWasmEngine(bindings, tables);
}

/** A bundle opened by the viewer's core. */
export async function viewed(path: string): Promise<Viewer> {
  const viewer = createViewer({ openEngine: openNodeWasmEngine, version: 'test' });
  const { handle } = viewer.files.adopt(basename(path), new Blob([new Uint8Array(await readFile(path))]));
  await viewer.api['case.open']({ handle });
  onTestFinished(() => viewer.close());
  return viewer;
}
