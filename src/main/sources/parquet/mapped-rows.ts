import type { Session } from '../../../model/engine.ts';
import type { ColumnMapping } from '../../../model/source.ts';
import type { Output } from '../otlp/output.ts';
import { PlainRows, portionsOf } from './plain-rows.ts';
import type { AppendRow } from './table-rows.ts';
import type { MappedRow } from './values.ts';

export interface MappedTable {
  readonly append: AppendRow;
  readonly mapping: ColumnMapping;
  /** SQL of the mapped table, with `row_number`. */
  readonly select: string;
  /** Size of the file, for progress. */
  readonly bytes: number;
}

/**
 * Reads a mapped table portion by portion: plain rows as columns, the others one by one. Yields how much of the file
 * is done.
 */
export async function* readMapped(
  session: Session,
  { append, mapping, select, bytes }: MappedTable,
  path: string,
  out: Output,
): AsyncGenerator<number> {
  const portions = portionsOf(await rowGroups(session, path));
  const total = portions.at(-1)?.to ?? 0;
  const plain = await PlainRows.prepare(session, mapping, select);
  // The database works on the next portion while this one is written.
  let next = plain && portions[0] && plain.read(portions[0]);
  for (const [i, portion] of portions.entries()) {
    const columns = await next;
    const following = portions[i + 1];
    next = plain && following && plain.read(following);
    next?.catch(() => undefined);
    const done = Math.round((portion.to / total) * bytes);
    if (plain && columns) plain.write(out, columns, done);
    if (columns?.count !== portion.to - portion.from) {
      const inPortion = `row_number between ${portion.from} and ${portion.to - 1}`;
      const others = plain ? plain.others(portion) : `select * from (${select}) where ${inPortion}`;
      for (const { row_number, ...row } of await objects(session, others))
        keep(out, append(out, row), Number(row_number), done);
    }
    yield done;
  }
}

async function rowGroups(session: Session, path: string): Promise<number[]> {
  const { columns } = await session.query(
    `select any_value(row_group_num_rows)::integer from parquet_metadata('${path.replaceAll("'", "''")}')
     group by row_group_id order by row_group_id`,
  );
  return (columns[0] ?? []) as number[];
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
