import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Engine, Session } from '../../model/storage/engine.ts';
import { nativeSession } from './native-engine.ts';

/**
 * Enough for the largest pages that DuckDB itself writes (100 MB): the one that ends and the one that begins, packed and unpacked.
 * It comes on top of the case's own engine, but only pages like those need it.
 */
const MEMORY_LIMIT = '600MB';
const AGAIN_MS = 10;

/**
 * An in-memory DuckDB that can read these files and nothing else: no other file, no network, no extension but what is
 * built in. For importers of formats that DuckDB reads itself. Closing it waits for what still runs; an abort ends that.
 */
export async function openFileEngine(paths: readonly string[], signal?: AbortSignal): Promise<Engine> {
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    memory_limit: MEMORY_LIMIT,
    threads: '2',
    // What was read is not read again, and the case's own engine may need the memory.
    enable_external_file_cache: 'false',
  });
  const connection = await instance.connect();
  const list = paths.map((path) => `'${path.replaceAll("'", "''")}'`).join(', ');
  await connection.run(`set allowed_paths = [${list}]`);
  await connection.run('set enable_external_access = false');
  await connection.run("set timezone = 'UTC'").catch(() => undefined); // Only the ICU extension knows zones.
  await connection.run('set lock_configuration = true');
  connection.closeSync();
  const connections: DuckDBConnection[] = [];
  const sessions: Session[] = [];
  const closing = new Set<Promise<unknown>>();
  // An interrupt that comes while nothing runs is forgotten: what runs next is interrupted as well.
  let again: ReturnType<typeof setInterval> | undefined;
  const interrupt = () => {
    again ??= setInterval(() => {
      for (const one of connections) one.interrupt();
    }, AGAIN_MS);
  };
  signal?.addEventListener('abort', interrupt, { once: true });
  if (signal?.aborted) interrupt();
  return {
    session: async () => {
      const own = await instance.connect();
      connections.push(own);
      const session = nativeSession(own, closing);
      sessions.push(session);
      return session;
    },
    checkpoint: async () => undefined,
    close: async () => {
      for (const session of sessions) session.close();
      await Promise.all(closing);
      clearInterval(again);
      signal?.removeEventListener('abort', interrupt);
      instance.closeSync();
    },
  };
}
