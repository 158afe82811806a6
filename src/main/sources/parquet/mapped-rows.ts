import { fail } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { ColumnMapping, SourceInput } from '../../../model/storage/source.ts';
import type { Output } from '../otlp/output.ts';
import { PlainRows } from './plain-rows.ts';
import { readParquet } from './select.ts';
import type { AppendRow } from './table-rows.ts';
import type { MappedRow } from './values.ts';

/** Rows that are objects at one time. */
const FEW = 10_000;
/** Rows of which the odd ones are listed at one time. */
const MANY = 1 << 20;

export interface MappedTable {
  readonly path: string;
  /** Size of the file, for progress. */
  readonly bytes: number;
  readonly mapping: ColumnMapping;
  /** SQL of the mapped table, with `row_number`, from SQL that yields the file's columns. */
  select(file: string): string;
  readonly append: AppendRow;
  /** Rows that wait until all others are read. */
  rest(): Iterable<RowBatch>;
}

/** Reads a mapped table: plain rows are left to the case's engine, where one is there to take them; the others come one by one. */
export async function* readMapped(
  session: Session,
  table: MappedTable,
  { name, taken }: Pick<SourceInput, 'name' | 'taken'>,
  out: Output,
): AsyncGenerator<RowBatch> {
  const { path, bytes, mapping } = table;
  const select = table.select(readParquet(path));
  const rows = await countOf(session, path);
  const plain = taken && rows > 0 ? await PlainRows.prepare(session, mapping, select, out) : undefined;
  const read = { session, table, rows };
  if (!plain || !taken) {
    for (let from = 0; from < rows; from += FEW) yield* oneByOne(read, { from, to: Math.min(from + FEW, rows) }, out);
    yield* table.rest();
    return;
  }
  const file = { ...plain.inFile(out, table.select('in_file')), path, name, bytes, rows };
  out.endBatch(0);
  const batches = [...out.take(0)];
  for (const [i, batch] of batches.entries()) yield i < batches.length - 1 ? batch : { ...batch, file };
  let left = rows - (await taken());
  for (let from = 0; from < rows && left > 0; from += MANY) {
    const [odd = []] = (await session.query(plain.odd(select, from, from + MANY))).columns as readonly number[][];
    left -= odd.length;
    for (let at = 0; at < odd.length; at += FEW) yield* oneByOne(read, rowRange(odd.slice(at, at + FEW)), out);
  }
  yield* table.rest();
  if (left !== 0) fail('file.changed', `${name} changed while it was read`, { place: name, hint: 'import it again' });
}

async function countOf(session: Session, path: string): Promise<number> {
  const { columns } = await session.query(`select count(*)::double from ${readParquet(path)}`);
  return columns[0]?.[0] as number;
}

/** Rows of a file, `to` not among them. */
interface Few {
  readonly from: number;
  readonly to: number;
  /** All of them, where some between are none of them. */
  readonly only?: readonly number[];
}

/** @param rows ascending */
function rowRange(rows: readonly number[]): Few {
  const [from, to] = [rows[0]!, rows.at(-1)! + 1];
  return to - from > rows.length ? { from, to, only: rows } : { from, to };
}

interface Reading {
  readonly session: Session;
  readonly table: MappedTable;
  /** Of the whole file. */
  readonly rows: number;
}

async function* oneByOne(
  { session, table: { bytes, select, append, path }, rows }: Reading,
  { from, to, only }: Few,
  out: Output,
): AsyncGenerator<RowBatch> {
  const done = Math.round((to / rows) * bytes);
  const where = `row_number between ${from} and ${to - 1}${only ? ` and row_number in (${only.join(', ')})` : ''}`;
  const found = await objects(session, `select * from (${select(readParquet(path))}) where ${where}`);
  for (const { row_number, ...row } of found) endRecord(out, append(out, row), Number(row_number), done);
  yield* out.take(done);
}

async function objects(session: Session, sql: string): Promise<MappedRow[]> {
  const { names, columns, count } = await session.query(sql);
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(names.map((name, i) => [name, columns[i]?.[row]])),
  );
}

/** Ends a record: `problem` is the reason why it was rejected, '' if it was stored. */
export function endRecord(out: Output, problem: string, at: number, done: number): void {
  if (problem !== '') out.reject(at, problem);
  out.recordDone(done);
}
