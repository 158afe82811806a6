// Loaded into `faultline capture` before anything of its own (`node --import`): reports its memory use every second.
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { threadId } from 'node:worker_threads';
import type DuckDB from '@duckdb/node-bindings';

const file = process.env.FAULTLINE_DAY_WATCH;
const root = join(import.meta.dirname, '..');

/** Memory that the database reports, over its own connection. */
async function databaseBytes(duckdb: typeof DuckDB, connection: DuckDB.Connection): Promise<number> {
  const sql = 'select coalesce(sum(memory_usage_bytes), 0)::bigint from duckdb_memory()';
  const chunk = await duckdb.fetch_chunk(await duckdb.query(connection, sql));
  if (!chunk) return 0;
  const bytes = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk, 0), 8);
  return Number(new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(0, true));
}

/** Of this thread: bytes that its heap takes, and that JavaScript holds outside of it. */
function heapOf() {
  const { total_physical_size: heap, external_memory: external } = getHeapStatistics();
  return { thread: threadId, heap, external };
}
const writeLine = (what: object): void => appendFileSync(file!, `${JSON.stringify(what)}\n`);

if (file !== undefined && threadId > 0) setInterval(() => writeLine(heapOf()), 1000).unref();
if (file !== undefined && threadId === 0) {
  const require = createRequire(join(root, 'package.json'));
  const duckdb = require('@duckdb/node-bindings') as typeof DuckDB;
  const { open } = duckdb;
  let connection: DuckDB.Connection | null = null;
  const watched = async (...openArguments: Parameters<typeof open>) => {
    const database = await open(...openArguments);
    if (openArguments[0]?.endsWith('case.duckdb')) connection = await duckdb.connect(database);
    return database;
  };
  // Its exports are read-only: later imports get these instead.
  const module = require.cache[require.resolve('@duckdb/node-bindings')];
  if (module) module.exports = Object.create(duckdb, { open: { value: watched, enumerable: true } });
  const sampleMemory = async () => {
    const database = connection ? await databaseBytes(duckdb, connection).catch(() => 0) : 0;
    // By a clock that nobody sets.
    writeLine({ ...heapOf(), at_ms: performance.now(), rss: process.memoryUsage.rss(), database });
  };
  setInterval(() => void sampleMemory(), 1000).unref();
}
