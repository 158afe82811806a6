import { fail } from '../../model/problem.ts';
import type { ParquetFacts, SqlResult, SqlValue } from '../../model/storage/engine.ts';

type Run = (sql: string, values?: readonly SqlValue[]) => Promise<SqlResult>;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const quoted = (name: string): string => `"${name}"`;
/** Nothing about a table is taken from the folders that its file lies in. */
const parquet = (path: string): string => `read_parquet(${literal(path)}, hive_partitioning = false)`;

/** Metadata of a Parquet file; reads its footer only. */
export async function describeParquet(run: Run, path: string): Promise<ParquetFacts> {
  const { columns } = await run(`describe select * from ${parquet(path)}`);
  const [names = [], types = []] = columns;
  const counted = await run(`select num_rows as n from parquet_file_metadata(${literal(path)})`);
  return {
    columns: names.map((name, i) => ({ name: String(name), type: String(types[i]) })),
    rows: Number(counted.columns[0]?.[0]),
  };
}

/** A dictionary holds a text once for a billion rows: so many times its file a table may be. */
const MOST_TIMES_THE_FILE = 1000;

/** Appends the rows of a file to a table; gives how many they are. @throws ProblemError bundle.too_large */
export async function insertParquet(
  run: Run,
  table: string,
  { path, columns }: { readonly path: string; readonly columns: ParquetFacts['columns'] },
  mostTextBytes: number,
): Promise<number> {
  await refuseBomb(run, table, { path, columns }, mostTextBytes);
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const { columns: counted } = await run(
    `insert into ${quoted(table)} (${names}) select ${names} from ${parquet(path)}`,
  );
  return Number(counted[0]?.[0]);
}

async function refuseBomb(
  run: Run,
  table: string,
  { path, columns }: { readonly path: string; readonly columns: ParquetFacts['columns'] },
  mostTextBytes: number,
): Promise<void> {
  const texts = columns.filter(({ type }) => type === 'VARCHAR');
  if (texts.length === 0) return;
  // Every value of a page may be as long as the page: mostly that is little enough, and nothing has to be read.
  const found = await run(
    `select coalesce(sum(num_values::double * total_uncompressed_size) filter (type = 'BYTE_ARRAY'), 0) as most,
       coalesce(sum(total_compressed_size), 0)::double as file
     from parquet_metadata(${literal(path)})`,
  );
  const [most = 0, file = 0] = found.columns.map(([value]) => value as number);
  const limit = Math.max(mostTextBytes, MOST_TIMES_THE_FILE * file);
  if (most <= limit) return;
  const lengths = texts.map(({ name }) => `coalesce(sum(strlen(${quoted(name)})), 0)::double`).join(' + ');
  const counted = await run(`select ${lengths} as bytes from ${parquet(path)}`);
  const bytes = (counted.columns[0]?.[0] as number | undefined) ?? 0;
  if (bytes > limit)
    fail('bundle.too_large', `this bundle's ${table} unpacks to ${Math.round(bytes / 2 ** 30)} GiB of text`);
}
