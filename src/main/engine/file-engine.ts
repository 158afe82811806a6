import { DuckDBInstance } from '@duckdb/node-api';
import type { Engine } from '../../model/engine.ts';
import { nativeSession } from './native-engine.ts';

/** Enough to sort out one file's pages; it comes on top of the case's own engine. */
const MEMORY_LIMIT = '400MB';

/**
 * An in-memory DuckDB that can read these files and nothing else: no other file, no network, no extension but what is
 * built in. For importers of formats that DuckDB reads itself.
 */
export async function openFileEngine(paths: readonly string[]): Promise<Engine> {
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    memory_limit: MEMORY_LIMIT,
    threads: '2',
  });
  const connection = await instance.connect();
  const list = paths.map((path) => `'${path.replaceAll("'", "''")}'`).join(', ');
  await connection.run(`set allowed_paths = [${list}]`);
  await connection.run('set enable_external_access = false');
  await connection.run("set timezone = 'UTC'").catch(() => undefined); // Only the ICU extension knows zones.
  await connection.run('set lock_configuration = true');
  connection.closeSync();
  return {
    session: async () => nativeSession(await instance.connect()),
    checkpoint: async () => undefined,
    close: async () => instance.closeSync(),
  };
}
