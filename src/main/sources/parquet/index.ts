import { fail } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import type { Engine, Session } from '../../../model/storage/engine.ts';
import { firstNumber } from '../../../model/storage/engine.ts';
import { failForParquet } from '../../../model/storage/parquet-problem.ts';
import type { FileHead, Source, SourceFile, SourceInput, TableColumns } from '../../../model/storage/source.ts';
import { wholeText } from '../bytes/whole-file.ts';
import { Output } from '../otlp/output.ts';
import { endRecord, readMapped } from './mapped-rows.ts';
import { checkMapping, type ForeignColumn, guessMapping } from './mapping.ts';
import { quoted, readParquet, selectMapped, textLiteral } from './select.ts';
import { SeriesParts } from './series-parts.ts';
import { appendSpan } from './span-row.ts';
import { appenderOf } from './table-rows.ts';
import { required, targets } from './targets.ts';
import { metaSchema, type TempoMeta, tempoSpans } from './tempo.ts';
import type { MappedRow } from './values.ts';

const MAGIC = 'PAR1';
/** Rows of a Tempo block per query; each is a whole trace. */
const TRACE_PORTION = 200;

const isParquet = (head: FileHead): boolean => Buffer.from(head.bytes.subarray(0, 4)).toString('latin1') === MAGIC;
const isTempoMeta = (head: FileHead): boolean =>
  typeof head.object.format === 'string' && head.object.format.startsWith('vParquet') && 'blockID' in head.object;
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Any Parquet: DuckDB reads the file, a mapping assigns the columns, and known layouts have a built-in mapping. */
export const parquet: Source = {
  id: 'parquet',
  title: 'Parquet (own tables, ClickHouse exporter, OTel Arrow, Tempo blocks, anything with a column mapping)',
  looks_for: 'Parquet files, and the meta.json of a Tempo block',
  detect: (head) => isParquet(head) || isTempoMeta(head),
  // A Tempo block is data.parquet beside its meta.json; any other Parquet file is a separate data source.
  gather: {
    root: (path, head) => (isTempoMeta(head) || path.endsWith('/data.parquet') ? folderOf(path) : path),
  },
  columns,
  read,
};

/** Of the first table; a Tempo block knows its own. */
async function columns(input: SourceInput): Promise<TableColumns> {
  for (const file of input.files) {
    if ((await readMeta(file)) !== 'parquet') continue;
    const path = await file.onDisk();
    const engine = await input.database([path]);
    try {
      const found = await foreignColumns(await engine.session(), path).catch((error) =>
        failForParquet(error, input.name),
      );
      const plain = found.map(({ name, type }) => ({ name, type }));
      return { columns: plain, mapping: guessMapping(found) ?? null, targets: targetNames() };
    } finally {
      await engine.close();
    }
  }
  return { columns: [], mapping: null, targets: targetNames() };
}

const targetNames = (): TableColumns['targets'] =>
  Object.fromEntries(
    required.map(([table, needs]) => {
      const must = new Set(needs.flat());
      const names = Object.keys(targets[table]).map((name) => ({ name, required: must.has(name) }));
      return [table, names.sort((a, b) => Number(b.required) - Number(a.required))];
    }),
  );

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const out = new Output(input.name);
  const tables: SourceFile[] = [];
  let meta: TempoMeta | undefined;
  for (const file of input.files) {
    const found = await readMeta(file);
    if (found === 'parquet') tables.push(file);
    else if (found) meta ??= found;
    else out.reject(0, `${file.path} is neither Parquet nor the meta.json of a Tempo block`);
  }
  for (const file of tables) {
    const path = await file.onDisk();
    const engine = await input.database([path]);
    try {
      yield* readTable(engine, { path, file, meta, input }, out);
    } finally {
      await engine.close();
    }
  }
  yield* out.take(
    input.files.reduce((sum, { bytes }) => sum + bytes, 0),
    true,
  );
}

async function readMeta(file: SourceFile): Promise<TempoMeta | 'parquet' | undefined> {
  for await (const chunk of file.open()) {
    if (Buffer.from(chunk.subarray(0, 4)).toString('latin1') === MAGIC.slice(0, chunk.length)) return 'parquet';
    break;
  }
  try {
    return metaSchema.parse(JSON.parse(await wholeText(file.open(), file.path, 1 << 20)));
  } catch {
    return undefined;
  }
}

interface TableTask {
  readonly path: string;
  readonly file: SourceFile;
  readonly meta: TempoMeta | undefined;
  readonly input: SourceInput;
}

async function* readTable(engine: Engine, task: TableTask, out: Output): AsyncGenerator<RowBatch> {
  const { path, file, meta, input } = task;
  const session = await engine.session();
  const columns = await foreignColumns(session, path).catch((error: unknown) => failForParquet(error, input.name));
  const isTempo = ['TraceID', 'rs'].every((name) => columns.some((column) => column.name === name));
  if (isTempo) return yield* readTempo(session, task, out);
  const own = await exportedTable(session, path);
  if (own !== '' && !importedTables.has(own) && !input.assume.mapping)
    return out.batch.remark(`nothing is taken from the table of ${own} of an export`);
  const mapping = input.assume.mapping ?? guessMapping(columns);
  if (!mapping) {
    return fail('parquet.unmapped', `${input.name} holds a table that Faultline does not know`, {
      place: input.name,
      hint: `assign the columns (--map): ${columns.map(({ name }) => name).join(', ')}`,
    });
  }
  checkMapping(mapping, columns, input.name);
  if (!input.assume.mapping) {
    const words = Object.entries(mapping.columns).map(([target, { column }]) => `${target} = ${column}`);
    out.batch.remark(`columns recognised as a ${mapping.table} table: ${words.join(', ')}`);
  }
  const parts = new SeriesParts();
  const append = appenderOf(mapping, out);
  const table = {
    path,
    bytes: file.bytes,
    mapping,
    select: (from: string) => selectMapped(mapping, columns, from),
    append: (to: Output, row: MappedRow) => (mapping.table === 'metric' && parts.take(row) ? '' : append(to, row)),
    rest: () => parts.end(out),
  };
  try {
    yield* readMapped(session, table, input, out);
  } catch (error) {
    failForParquet(error, input.name);
  }
  if (meta) out.batch.remark('the meta.json beside it was not needed');
}

/**
 * Tables of an export (docs/export.md) with recorded rows. Collective operations are not imported: whether ranks hang
 * depends on a single recording, but here several recordings share one table.
 */
const importedTables: ReadonlySet<string> = new Set(['spans', 'logs', 'metrics', 'histograms', 'events', 'topology']);

/** The table of an export that a file names in its metadata; '' if none. */
async function exportedTable(session: Session, path: string): Promise<string> {
  const found = await session
    .query(`select decode(value) from parquet_kv_metadata(${textLiteral(path)}) where decode(key) = 'faultline'`)
    .catch(() => undefined);
  return String(found?.columns[0]?.[0] ?? '');
}

async function* readTempo(
  session: Session,
  { path, file, meta, input }: TableTask,
  out: Output,
): AsyncGenerator<RowBatch> {
  if (!meta)
    out.batch.remark(
      'a Tempo block without its meta.json: attributes in dedicated columns have lost their names and are left out',
    );
  const select = (from: number) =>
    `select lower(hex("TraceID")) as trace_id, rs from ${readParquet(path)} where file_row_number between ${from} and ${from + TRACE_PORTION - 1}`;
  for await (const { rows, from, share } of portions(session, path, select, TRACE_PORTION, input.name)) {
    for (const [i, trace] of rows.entries())
      for (const span of tempoSpans(trace, meta)) endRecord(out, appendSpan(out, span), from + i, share * file.bytes);
    yield* out.take(share * file.bytes);
  }
}

/** The rows of a file in portions; row groups that a portion does not touch are not read. */
async function* portions(
  session: Session,
  path: string,
  select: (from: number) => string,
  size: number,
  name: string,
): AsyncGenerator<{ readonly rows: MappedRow[]; readonly from: number; readonly share: number }> {
  const count = await session
    .query(`select count(*)::integer from ${readParquet(path)}`)
    .catch((error: unknown) => failForParquet(error, name));
  const total = firstNumber(count);
  for (let from = 0; from < total; from += size) {
    const answer = await session.query(select(from)).catch((error: unknown) => failForParquet(error, name));
    const rows = Array.from({ length: answer.count }, (_, row) =>
      Object.fromEntries(answer.names.map((column, i) => [column, answer.columns[i]?.[row]])),
    );
    yield { rows, from, share: Math.min(1, (from + size) / total) };
  }
}

/** Columns, and the fields of struct columns under `column.field`. */
async function foreignColumns(session: Session, path: string): Promise<ForeignColumn[]> {
  const columnsOf = async (what: string): Promise<(readonly [string, string])[]> => {
    const { columns, count } = await session.query(
      `describe select ${what} from read_parquet('${path.replaceAll("'", "''")}', hive_partitioning = false)`,
    );
    return Array.from({ length: count }, (_, i) => [String(columns[0]?.[i]), String(columns[1]?.[i])] as const);
  };
  const found: ForeignColumn[] = [];
  for (const [name, type] of await columnsOf('*')) {
    found.push({ name, type, sql: quoted(name) });
    if (!type.startsWith('STRUCT') || type.endsWith('[]')) continue;
    for (const [field, inner] of await columnsOf(`${quoted(name)}.*`))
      found.push({ name: `${name}.${field}`, type: inner, sql: `${quoted(name)}.${quoted(field)}` });
  }
  return found;
}
