import type { Session } from '../../../model/engine.ts';
import { fail } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows.ts';
import type { ColumnMapping, SourceInput } from '../../../model/source.ts';
import type { Output } from '../otlp/output.ts';
import { PlainRows } from './plain-rows.ts';
import { readParquet } from './select.ts';
import type { AppendRow } from './table-rows.ts';
import type { MappedRow } from './values.ts';

/** Rows that are objects at one time. */
const FEW = 10_000;

export interface MappedTable {
  readonly path: string;
  /** Size of the file, for progress. */
  readonly bytes: number;
  readonly mapping: ColumnMapping;
  /** SQL of the mapped table, with `row_number`, from SQL that yields the file's columns. */
  select(file: string): string;
  readonly append: AppendRow;
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
  const plain = taken && rows > 0 ? await PlainRows.prepare(session, mapping, select) : undefined;
  if (!plain || !taken) return yield* oneByOne(session, table, stretches(rows), out);
  const file = { ...plain.inFile(out, table.select('in_file')), path, name, bytes, rows };
  out.endBatch(0);
  const batches = [...out.take(0)];
  for (const [i, batch] of batches.entries()) yield i < batches.length - 1 ? batch : { ...batch, file };
  const inserted = await taken();
  if (inserted === rows) return;
  const odd = (await session.query(plain.odd(select))).columns[0] as readonly number[];
  if (inserted + odd.length !== rows)
    fail('file.changed', `${name} changed while it was read`, { place: name, hint: 'import it again' });
  yield* oneByOne(session, table, scattered(odd), out);
}

async function countOf(session: Session, path: string): Promise<number> {
  const { columns } = await session.query(`select count(*)::double from ${readParquet(path)}`);
  return columns[0]?.[0] as number;
}

/** SQL over `row_number` that finds a few rows, and what comes after the last of them. */
interface Few {
  readonly where: string;
  readonly to: number;
  /** The last row of all. */
  readonly end: number;
}

function* stretches(rows: number): Generator<Few> {
  for (let from = 0; from < rows; from += FEW) {
    const to = Math.min(from + FEW, rows);
    yield { where: `row_number between ${from} and ${to - 1}`, to, end: rows };
  }
}

/** @param rows ascending */
function* scattered(rows: readonly number[]): Generator<Few> {
  for (let from = 0; from < rows.length; from += FEW) {
    const few = rows.slice(from, from + FEW);
    const [first, last] = [few[0] as number, few.at(-1) as number];
    const only = last - first >= few.length ? ` and row_number in (${few.join(', ')})` : '';
    yield { where: `row_number between ${first} and ${last}${only}`, to: last + 1, end: (rows.at(-1) as number) + 1 };
  }
}

async function* oneByOne(
  session: Session,
  { bytes, select, append, path }: MappedTable,
  rows: Iterable<Few>,
  out: Output,
): AsyncGenerator<RowBatch> {
  for (const { where, to, end } of rows) {
    const done = Math.round((to / end) * bytes);
    for (const { row_number, ...row } of await objects(
      session,
      `select * from (${select(readParquet(path))}) where ${where}`,
    ))
      keep(out, append(out, row), Number(row_number), done);
    yield* out.take(done);
  }
}

async function objects(session: Session, sql: string): Promise<MappedRow[]> {
  const { names, columns, count } = await session.query(sql);
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(names.map((name, i) => [name, columns[i]?.[row]])),
  );
}

/** Ends a record: `problem` says why it could not be kept, '' that it was. */
export function keep(out: Output, problem: string, at: number, done: number): void {
  if (problem !== '') out.reject(at, problem);
  out.recordDone(done);
}
