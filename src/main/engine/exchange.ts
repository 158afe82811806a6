import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assert } from '../../base/assert.ts';
import { fail } from '../../model/problem.ts';
import type { OrderedRows } from '../../model/rows/ordered-rows.ts';
import type { Engine } from '../../model/storage/engine.ts';

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

/** SQL over the case, and the metadata of its Parquet file. */
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
      const run = async (sql: string): Promise<number> =>
        Number((await session.query(sql, [], signal)).columns[0]?.[0]);
      const rows = select.wide
        ? await writeParts(run, { ...select, wide: select.wide }, path)
        : await run(copyOf(select.sql, path, { row_group: ROW_GROUP, metadata: select.metadata }));
      written.push({ ...select, rows, path });
    }
    await session.execute('rollback');
    return written;
  } finally {
    await session.execute('set preserve_insertion_order = false').catch(() => undefined);
    session.close();
  }
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Each part as a file of its own, and then all of them as one. As arms of one statement the engine sorts them faster than it
 * writes: 110 parts of 16 MB took all of its memory.
 * @throws ProblemError export.changed
 */
async function writeParts(
  run: (sql: string) => Promise<number>,
  { wide, metadata }: Select & { readonly wide: NonNullable<Select['wide']> },
  path: string,
): Promise<number> {
  const files = wide.parts.map((_, i) => `${path}-${i}`);
  for (const [i, part] of wide.parts.entries())
    await run(`copy (${part}) to ${literal(files[i]!)} (format parquet, compression snappy)`);
  await run('set preserve_insertion_order = true');
  const all = `from read_parquet([${files.map(literal).join(', ')}], hive_partitioning = false)`;
  const rows = await run(copyOf(all, path, { row_group: wide.row_group, metadata }));
  await run('set preserve_insertion_order = false');
  for (const file of files) await rm(file);
  // They were cut before this state of the case, by clocks that somebody may have corrected since.
  if (rows !== (await run(wide.count)))
    fail('export.changed', 'the clocks of this case changed while it was being written', { hint: 'export it again' });
  return rows;
}

interface FileForm {
  readonly row_group: number;
  readonly metadata: Select['metadata'];
}

function copyOf(rows: string, path: string, { row_group, metadata }: FileForm): string {
  const metadataTexts = Object.entries(metadata ?? {}).map(([key, value]) => `${key}: ${literal(value)}`);
  const about = metadataTexts.length === 0 ? '' : `, kv_metadata {${metadataTexts.join(', ')}}`;
  return `copy (${rows}) to ${literal(path)} (format parquet, compression zstd, row_group_size ${row_group}${about})`;
}
