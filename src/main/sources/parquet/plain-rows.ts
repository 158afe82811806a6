import type { ColumnShape, ReadColumns, Session } from '../../../model/engine.ts';
import { BATCH_ROWS, type ColumnMapping } from '../../../model/source.ts';
import type { Output } from '../otlp/output.ts';
import { type Entry, type PlainTable, plainTables } from './plain-tables.ts';
import { quoted } from './select.ts';
import { type Shape, targets } from './targets.ts';

/** Rows asked for at once, a third of a usual row group: their texts are in memory three times, two portions at a time. */
const PORTION = 40_960;
/** More different values than this are no dictionary: the table is read row by row. */
const MOST_VALUES = 100_000;

export interface Portion {
  readonly from: number;
  readonly to: number;
}

/** Portions of a file that do not cross its row groups, which are decoded whole. */
export function portionsOf(rowGroups: readonly number[], most = PORTION): Portion[] {
  let at = 0;
  return rowGroups.flatMap((rows) => {
    const parts = Math.max(1, Math.ceil(rows / most));
    const first = at;
    at += rows;
    return Array.from({ length: parts }, (_, i) => ({
      from: first + Math.floor((rows * i) / parts),
      to: first + Math.floor((rows * (i + 1)) / parts),
    }));
  });
}

/**
 * The rows of a table that need no second look (ids are whole, times are given, nothing is nested), as columns: the
 * database converts them, texts that repeat are replaced by their place in a dictionary, and none of them ever is an
 * object. All others, and every reason to reject one, are left to the row by row reader.
 */
export class PlainRows {
  private readonly table: PlainTable;
  private readonly mapped: string;
  private readonly dictionaries: ReadonlyMap<string, readonly Entry[]>;

  private constructor(table: PlainTable, mapped: string, dictionaries: ReadonlyMap<string, readonly Entry[]>) {
    this.table = table;
    this.mapped = mapped;
    this.dictionaries = dictionaries;
  }

  /** @param mapped SQL of the mapped table; undefined: this table has to be read row by row */
  static async prepare(session: Session, mapping: ColumnMapping, mapped: string): Promise<PlainRows | undefined> {
    const table = plainTables[mapping.table];
    if (!table) return undefined;
    const members = Object.values(table.dictionaries).flat();
    const absent = [...new Set([...table.columns, ...members])].filter((name) => !Object.hasOwn(mapping.columns, name));
    const nulls = absent.map((name) => `, null::${typeOf(targets[mapping.table][name]?.shape)} as ${quoted(name)}`);
    const whole = `select *${nulls.join('')} from (${mapped})`;
    const dictionaries = new Map<string, readonly Entry[]>();
    for (const [name, columns] of Object.entries(table.dictionaries)) {
      const entries = await dictionary(session, name, columns, whole);
      if (!entries) return undefined;
      dictionaries.set(name, entries);
    }
    return new PlainRows(table, whole, dictionaries);
  }

  /** The mapped rows of a portion and their values; whether each is plain. */
  private judged({ from, to }: Portion): string {
    const values = Object.entries(this.table.values).map(([name, { sql }]) => `${sql} as ${quoted(`our_${name}`)}`);
    const given = Object.keys(this.table.values).map((name) => `our_${name} is not null`);
    const { plain } = this.table;
    return `select *, coalesce(${[...given, plain].join(' and ')}, false) as is_plain from (
      select m.*, ${values.join(', ')} from (${this.mapped}) m where row_number between ${from} and ${to - 1}) m`;
  }

  /** SQL of the rows of a portion that are not plain, as the mapping has them. */
  others(portion: Portion): string {
    return `select columns(c -> c <> 'is_plain' and not starts_with(c, 'our_')) from (${this.judged(portion)}) where not is_plain`;
  }

  /**
   * @param session any of the same database: two read two portions at once
   * @returns undefined when the rows are so long that not all of them fit in memory at once
   */
  async read(portion: Portion, session: Session): Promise<ReadColumns | undefined> {
    const joins = Object.entries(this.table.dictionaries).map(([name, members]) => {
      const same = members.map((member) => `d_${name}.${quoted(member)} is not distinct from m.${quoted(member)}`);
      return `join ${quoted(`of_${name}`)} d_${name} on ${same.join(' and ')}`;
    });
    const codes = Object.keys(this.table.dictionaries).map((name) => `d_${name}.code as code_${name}`);
    const values = Object.keys(this.table.values).map((name) => `m.our_${name} as ${quoted(name)}`);
    const shape: Record<string, ColumnShape> = {};
    for (const name of Object.keys(this.table.dictionaries)) shape[`code_${name}`] = 'i32';
    for (const [name, value] of Object.entries(this.table.values)) shape[name] = value.shape;
    const reading = session.readColumns(
      `select ${[...codes, ...values].join(', ')} from (${this.judged(portion)} where is_plain) m ${joins.join(' ')}`,
      shape,
    );
    return reading.catch((error: unknown) => {
      if (/out of memory/i.test(String(error))) return undefined;
      throw error;
    });
  }

  /** Writes a portion as batches; `done` is how much of the file has been read with it. */
  write(out: Output, { count, columns }: ReadColumns, done: number): void {
    for (let from = 0; from < count; from += BATCH_ROWS) {
      const to = Math.min(count, from + BATCH_ROWS);
      const slice: Record<string, Column> = {};
      for (const name of Object.keys(this.table.values)) slice[name] = sliced(columns[name] as Column, from, to);
      for (const [name, entries] of this.dictionaries) {
        const places = (columns[`code_${name}`] as Int32Array).subarray(from, to);
        Object.assign(
          slice,
          translated(places, entries, (entry) => this.table.enter(out, name, entry)),
        );
      }
      out.batch.table(this.table.name).pushColumns(slice, to - from);
      out.endBatch(done);
    }
  }
}

const typeOf = (shape: Shape | undefined): string =>
  shape === 'time' || shape === 'duration' ? 'bigint' : shape === 'number' ? 'double' : 'varchar';

/** Different values of some columns, numbered in a table of their own; undefined when there are too many. */
async function dictionary(
  session: Session,
  name: string,
  columns: readonly string[],
  mapped: string,
): Promise<readonly Entry[] | undefined> {
  const list = columns.map(quoted).join(', ');
  await session.execute(
    `create or replace table ${quoted(`of_${name}`)} as select (row_number() over () - 1)::integer as code, ${list}
     from (select distinct ${list} from (${mapped}) limit ${MOST_VALUES + 1})`,
  );
  const answer = await session.query(`select ${list} from ${quoted(`of_${name}`)} order by code`);
  if (answer.count > MOST_VALUES) return undefined;
  return Array.from({ length: answer.count }, (_, row) =>
    Object.fromEntries(columns.map((column, i) => [column, answer.columns[i]?.[row]])),
  );
}

type Column = ReadColumns['columns'][string];

const sliced = (column: Column, from: number, to: number): Column =>
  ArrayBuffer.isView(column)
    ? (column.subarray(from, to) as Column)
    : { bytes: column.bytes, offsets: column.offsets.subarray(from, to + 1) };

/** Places in a dictionary as what each entry means in the batch: one column or several. */
function translated(
  places: Int32Array,
  entries: readonly Entry[],
  enter: (entry: Entry) => Readonly<Record<string, number>>,
): Record<string, Int32Array> {
  const meanings: Record<string, Int32Array> = {};
  const seen = new Uint8Array(entries.length);
  for (const place of places) {
    if (seen[place]) continue;
    seen[place] = 1;
    for (const [column, code] of Object.entries(enter(entries[place] as Entry))) {
      meanings[column] ??= new Int32Array(entries.length);
      meanings[column][place] = code;
    }
  }
  const columns: Record<string, Int32Array> = {};
  for (const [column, codes] of Object.entries(meanings))
    columns[column] = places.map((place) => codes[place] as number);
  return columns;
}
