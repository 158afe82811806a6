import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assert } from '../../base/assert.ts';
import type { Engine } from '../../model/engine.ts';
import type { OrderedRows } from '../../model/ordered-rows.ts';

/**
 * Rows of a row group: what a reader of a window fetches at least. Ten seconds of an hour of 8 M spans are 1.6 MiB and a footer
 * of 0.6 MiB; with 8,192 rows 1.3 and 2.3 MiB, with DuckDB's own 122,880 four times as much of a smaller case
 * (`npm run bench -- --only bundle`). The file is as large in any of them.
 */
const ROW_GROUP = 30_720;

/** The engine's own folder for files, there from now on. */
export async function exchangeOf({ exchange }: Engine): Promise<string> {
  assert(exchange !== undefined, 'files of tables need an engine that can write files');
  await mkdir(exchange, { recursive: true, mode: 0o700 });
  return exchange;
}

/** Removes what was written into that folder, also while a statement that was interrupted still writes its last. */
export const clearExchange = async ({ exchange }: Engine): Promise<void> => {
  if (exchange !== undefined) await rm(exchange, { recursive: true, force: true, maxRetries: 8, retryDelay: 50 });
};

interface WrittenTable {
  readonly rows: number;
  readonly path: string;
}

interface TablesWork {
  readonly signal: AbortSignal;
  onTable(done: number, total: number): void;
}

/** SQL over the case, and what the file says of itself beside its rows. */
interface Select extends OrderedRows {
  readonly table: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** What is selected as Parquet (zstd) in the engine's own folder, all of one state of the case. */
export async function writeParquetTables<S extends Select>(
  engine: Engine,
  selects: readonly S[],
  { signal, onTable }: TablesWork,
): Promise<(S & WrittenTable)[]> {
  const folder = await exchangeOf(engine);
  const session = await engine.session();
  const written: (S & WrittenTable)[] = [];
  try {
    // Whatever is recorded meanwhile.
    await session.execute('begin transaction');
    for (const [done, select] of selects.entries()) {
      onTable(done, selects.length);
      const path = join(folder, `${select.table}.parquet`);
      await session.execute(`set preserve_insertion_order = ${select.wide !== undefined}`);
      const copied = await session.query(copyOf(select, path), [], signal);
      written.push({ ...select, rows: Number(copied.columns[0]?.[0]), path });
    }
    await session.execute('rollback');
    return written;
  } finally {
    await session.execute('set preserve_insertion_order = false').catch(() => undefined);
    session.close();
  }
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function copyOf({ sql, wide, metadata }: Select, path: string): string {
  const said = Object.entries(metadata ?? {}).map(([key, value]) => `${key}: ${literal(value)}`);
  const about = said.length === 0 ? '' : `, kv_metadata {${said.join(', ')}}`;
  const rows = wide ? wide.parts.map((part) => `(${part})`).join(' union all ') : sql;
  return `copy (${rows}) to ${literal(path)} (format parquet, compression zstd, row_group_size ${wide?.row_group ?? ROW_GROUP}${about})`;
}
