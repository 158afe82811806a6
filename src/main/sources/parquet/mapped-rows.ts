import type { Engine, Session } from '../../../model/engine.ts';
import type { ColumnMapping } from '../../../model/source.ts';
import type { Output } from '../otlp/output.ts';
import { type Piece, PlainRows, type Portion } from './plain-rows.ts';
import type { AppendRow } from './table-rows.ts';
import type { MappedRow } from './values.ts';

/** Rows that are objects at one time. */
const FEW = 10_000;
/** Portions read at once, each by one thread of the database. Not as many as there are: the order of rows depends on it. */
const MOST_LANES = 2;
/** What pages may take that are open at once: DuckDB holds each as it lies in the file and unpacked, in a power of two. */
const MOST_PAGE_BYTES = 320 << 20;
/** Writers end a page at 1 MB, DuckDB itself at 100: a column of a row group may be a single one. */
const LARGEST_PAGE_BYTES = 128 << 20;
/** Rows of a portion at most; a row group, which is decoded from its beginning, usually has a tenth of it. */
const MOST_ROWS = 1 << 20;

export interface MappedTable {
  readonly append: AppendRow;
  readonly mapping: ColumnMapping;
  /** SQL of the mapped table, with `row_number`. */
  readonly select: string;
  /** Size of the file, for progress. */
  readonly bytes: number;
}

/**
 * Reads a mapped table: plain rows as columns, each row group decoded once, the others one by one. Yields how much of the
 * file is done.
 */
export async function* readMapped(
  engine: Engine,
  { append, mapping, select, bytes }: MappedTable,
  path: string,
  out: Output,
): AsyncGenerator<number> {
  const session = await engine.session();
  const groups = await rowGroups(session, path);
  const portions = groups.flatMap((group) => split(group, MOST_ROWS));
  const lanes = Math.max(...groups.map(({ pageBytes }) => pageBytes)) * MOST_LANES > MOST_PAGE_BYTES ? 1 : MOST_LANES;
  const total = portions.at(-1)?.to ?? 0;
  const plain = await PlainRows.prepare(session, mapping, select);
  let rows = 0;
  const done = (): number => Math.round((rows / total) * bytes);
  for await (const { portion, piece, taken } of alternating(engine, { portions, lanes }, plain)) {
    if (piece) {
      rows += piece.count;
      plain?.write(out, piece, taken, done());
    } else
      for (const { count, where } of left(portion, taken)) {
        for (const { row_number, ...row } of await objects(session, `select * from (${select}) where ${where}`))
          keep(out, append(out, row), Number(row_number), done());
        if (!plain) rows += count;
        yield done();
      }
    yield done();
  }
}

interface Reading {
  readonly portion: Portion;
  /** Some of its rows as columns; undefined: that was all. */
  readonly piece: Piece | undefined;
  /** By place in the portion: 1 where the row has been written. */
  readonly taken: Uint8Array;
}

/** Portions in turn, a few at a time and a piece of each after one of the other: the same order every time. */
async function* alternating(
  engine: Engine,
  { portions, lanes: most }: { readonly portions: readonly Portion[]; readonly lanes: number },
  plain: PlainRows | undefined,
): AsyncGenerator<Reading> {
  const lanes = await Promise.all(
    Array.from({ length: Math.min(most, portions.length) }, async (_, lane) => {
      const session = await engine.session();
      return read(
        session,
        portions.filter((_, i) => i % most === lane),
        plain,
      );
    }),
  );
  try {
    for (let open = lanes; open.length > 0; ) {
      const through = new Set<AsyncGenerator<Reading>>();
      for (const lane of open) {
        const next = await lane.next();
        if (next.done) through.add(lane);
        else yield next.value;
      }
      open = open.filter((lane) => !through.has(lane));
    }
  } finally {
    for (const lane of lanes) await lane.return(undefined);
  }
}

async function* read(
  session: Session,
  portions: readonly Portion[],
  plain: PlainRows | undefined,
): AsyncGenerator<Reading, undefined> {
  for (const portion of portions) {
    const taken = new Uint8Array(portion.to - portion.from);
    if (plain) for await (const piece of plain.stream(portion, session)) yield { portion, piece, taken };
    yield { portion, piece: undefined, taken };
  }
}

/** Rows that were not taken, a few at a time, with SQL over `row_number` that finds them. */
function* left({ from }: Portion, taken: Uint8Array): Generator<{ readonly count: number; readonly where: string }> {
  for (let at = taken.indexOf(0); at >= 0; ) {
    const rows: number[] = [];
    for (; at >= 0 && rows.length < FEW; at = taken.indexOf(0, at + 1)) rows.push(from + at);
    const [first, last] = [rows[0] as number, rows.at(-1) as number];
    const scattered = last - first >= rows.length ? ` and row_number in (${rows.join(', ')})` : '';
    yield { count: rows.length, where: `row_number between ${first} and ${last}${scattered}` };
  }
}

/** Rows of a file in portions of at most so many. */
function split({ from, to }: Portion, most: number): Portion[] {
  const parts = Math.max(1, Math.ceil((to - from) / most));
  return Array.from({ length: parts }, (_, i) => ({
    from: from + Math.floor(((to - from) * i) / parts),
    to: from + Math.floor(((to - from) * (i + 1)) / parts),
  }));
}

interface RowGroup extends Portion {
  /** What a page of its largest column takes at most. */
  readonly pageBytes: number;
}

async function rowGroups(session: Session, path: string): Promise<RowGroup[]> {
  const sizes = ['compressed', 'uncompressed'].map((way) => `max(total_${way}_size)::double`).join(', ');
  const { columns, count } = await session.query(
    `select any_value(row_group_num_rows)::double, ${sizes} from parquet_metadata('${path.replaceAll("'", "''")}')
     group by row_group_id order by row_group_id`,
  );
  const [rows = [], ...bytes] = columns as number[][];
  let to = 0;
  return Array.from({ length: count }, (_, group) => {
    const from = to;
    to += rows[group] as number;
    return { from, to, pageBytes: bytes.reduce((sum, of) => sum + allocated(of[group] as number), 0) };
  });
}

const allocated = (bytes: number): number =>
  2 ** Math.ceil(Math.log2(Math.min(Math.max(bytes, 1), LARGEST_PAGE_BYTES)));

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
