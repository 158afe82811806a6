import type { Engine, ReadColumns, Session } from '../../../model/engine.ts';
import type { ColumnMapping } from '../../../model/source.ts';
import type { Output } from '../otlp/output.ts';
import { PlainRows, type Portion, portionsOf } from './plain-rows.ts';
import type { AppendRow } from './table-rows.ts';
import type { MappedRow } from './values.ts';

/** Rows that are objects at one time. */
const FEW = 10_000;

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
  engine: Engine,
  { append, mapping, select, bytes }: MappedTable,
  path: string,
  out: Output,
): AsyncGenerator<number> {
  const session = await engine.session();
  const portions = portionsOf(await rowGroups(session, path));
  const total = portions.at(-1)?.to ?? 0;
  const plain = await PlainRows.prepare(session, mapping, select);
  const ahead = plain && new ReadAhead(plain, portions, await Promise.all([engine.session(), engine.session()]));
  try {
    for (const portion of portions) {
      const columns = await ahead?.next();
      const done = Math.round((portion.to / total) * bytes);
      if (plain && columns) plain.write(out, columns, done);
      if (columns?.count !== portion.to - portion.from)
        for (const few of portionsOf([portion.to - portion.from], FEW)) {
          const part = { from: portion.from + few.from, to: portion.from + few.to };
          const inPart = `row_number between ${part.from} and ${part.to - 1}`;
          const others = plain && columns ? plain.others(part) : `select * from (${select}) where ${inPart}`;
          for (const { row_number, ...row } of await objects(session, others))
            keep(out, append(out, row), Number(row_number), done);
        }
      yield done;
    }
  } finally {
    await ahead?.settled();
  }
}

/** Portions in order, each session at work on one: a row group is read by one thread only. */
class ReadAhead {
  private readonly plain: PlainRows;
  private readonly portions: readonly Portion[];
  private readonly sessions: readonly Session[];
  private readonly underway: Promise<ReadColumns | undefined>[] = [];
  private started = 0;

  constructor(plain: PlainRows, portions: readonly Portion[], sessions: readonly Session[]) {
    this.plain = plain;
    this.portions = portions;
    this.sessions = sessions;
    for (const _ of sessions) this.start();
  }

  next(): Promise<ReadColumns | undefined> | undefined {
    const next = this.underway.shift();
    // The next of this session begins when it is free, while what it read is written.
    void next?.then(
      () => this.start(),
      () => undefined,
    );
    return next;
  }

  /** The database must not be closed before. */
  async settled(): Promise<void> {
    this.started = this.portions.length;
    await Promise.allSettled(this.underway);
  }

  private start(): void {
    const portion = this.portions[this.started];
    const session = this.sessions[this.started % this.sessions.length];
    if (!portion || !session) return;
    this.started++;
    const reading = this.plain.read(portion, session);
    reading.catch(() => undefined);
    this.underway.push(reading);
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
