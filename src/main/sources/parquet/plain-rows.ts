import type { ColumnShape, ReadColumns, Session } from '../../../model/engine.ts';
import { BATCH_ROWS, type ColumnMapping } from '../../../model/source.ts';
import type { Output } from '../otlp/output.ts';
import { readHexIds } from './hex-ids.ts';
import { type Entry, type PlainTable, plainTables } from './plain-tables.ts';
import { quoted } from './select.ts';
import { type Shape, targets } from './targets.ts';

/** More different values than this are no dictionary: the table is read row by row. */
const MOST_VALUES = 100_000;
/** A batch ends after so many bytes of text, however few rows they are. */
const MOST_TEXT_BYTES = 16 * 1024 * 1024;

/** Rows of a file, `to` not among them. */
export interface Portion {
  readonly from: number;
  readonly to: number;
}

/** Some rows of a portion as columns of the query in {@link PlainRows.stream}. */
export type Piece = ReadColumns;

/**
 * The rows of a table that need no second look (ids are whole, times are given, nothing is nested), as columns: the
 * database converts them, texts that repeat are replaced by their place in a dictionary, and none of them ever is an
 * object. All others, and every reason to reject one, are left to the row by row reader.
 */
export class PlainRows {
  private readonly table: PlainTable;
  private readonly mapped: string;
  private readonly dictionaries: readonly Dictionary[];
  private textBytes = 0;

  private constructor(table: PlainTable, mapped: string, dictionaries: readonly Dictionary[]) {
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
    const dictionaries: Dictionary[] = [];
    for (const [name, columns] of Object.entries(table.dictionaries)) {
      const entries = await distinct(session, name, columns, whole);
      if (!entries) return undefined;
      dictionaries.push(new Dictionary(name, columns, entries));
    }
    return new PlainRows(table, whole, dictionaries);
  }

  /** All rows of a portion piece by piece, with `plain` 1 where a row is; those after the last piece could not be read so. */
  stream({ from, to }: Portion, session: Session): AsyncIterable<Piece> {
    const { values, ids, plain } = this.table;
    const ours = Object.entries(values).map(([name, { sql }]) => `${sql} as ${quoted(`our_${name}`)}`);
    const given = Object.keys(values).map((name) => `our_${name} is not null`);
    const shape: Record<string, ColumnShape> = { place: 'i32', plain: 'u8' };
    const selected = [
      `(m.row_number - ${from})::integer as place`,
      `coalesce(${[...given, plain].join(' and ')}, false) as plain`,
    ];
    const select = (name: string, kind: ColumnShape, sql: string): void => {
      shape[name] = kind;
      selected.push(`${sql} as ${quoted(name)}`);
    };
    for (const { name } of this.dictionaries) select(codeOf(name), 'i32', `d_${name}.code`);
    for (const [name, value] of Object.entries(values)) select(name, value.shape, `m.our_${name}`);
    for (const name of Object.keys(ids)) select(idOf(name), 'text', `m.${name}`);
    return session.stream(
      `select ${selected.join(', ')}
       from (select m.*, ${ours.join(', ')} from (${this.mapped}) m where row_number between ${from} and ${to - 1}) m
       ${this.dictionaries.map((dictionary) => dictionary.join('m')).join(' ')}`,
      shape,
    );
  }

  /**
   * Writes the plain rows of a piece.
   * @param taken set to 1 at their places in the portion
   * @param done how much of the file has been read with it
   */
  write(out: Output, piece: Piece, taken: Uint8Array, done: number): void {
    const { count, columns } = piece;
    const plain = columns.plain as Uint8Array;
    const places = columns.place as Int32Array;
    const all: Record<string, Column> = { ...columns };
    for (const [name, { into, optional }] of Object.entries(this.table.ids)) {
      const halves = into.map(() => new BigUint64Array(count));
      readHexIds(columns[idOf(name)] as TextColumn, { halves, optional }, plain);
      into.forEach((half, i) => {
        all[half] = halves[i] as BigUint64Array;
      });
    }
    for (let from = 0; from < count; ) {
      const isPlain = plain[from] === 1;
      let to = from + 1;
      while (to < count && (plain[to] === 1) === isPlain) to++;
      if (isPlain) this.append(out, all, { from, to }, done);
      for (let row = from; isPlain && row < to; row++) taken[places[row] as number] = 1;
      from = to;
    }
  }

  private append(out: Output, columns: Readonly<Record<string, Column>>, { from, to }: Portion, done: number): void {
    const rows: Record<string, Column> = {};
    for (const [name, { shape }] of Object.entries(this.table.values)) {
      rows[name] = sliced(columns[name] as Column, from, to);
      if (shape === 'text') this.textBytes += textBytes(rows[name] as TextColumn);
    }
    for (const name of Object.values(this.table.ids).flatMap(({ into }) => into))
      rows[name] = sliced(columns[name] as Column, from, to);
    for (const dictionary of this.dictionaries) {
      const places = (columns[codeOf(dictionary.name)] as Int32Array).subarray(from, to);
      Object.assign(
        rows,
        dictionary.translate(places, out.generation, (entry) => this.table.enter(out, dictionary.name, entry)),
      );
    }
    const table = out.batch.table(this.table.name);
    table.pushColumns(rows, to - from);
    if (table.count < BATCH_ROWS && this.textBytes < MOST_TEXT_BYTES) return;
    out.endBatch(done);
    this.textBytes = 0;
  }
}

const codeOf = (dictionary: string): string => `code_${dictionary}`;
const idOf = (column: string): string => `id_${column}`;

const typeOf = (shape: Shape | undefined): string =>
  shape === 'time' || shape === 'duration' ? 'bigint' : shape === 'number' ? 'double' : 'varchar';

/** Different values of some columns, numbered in a table of their own; undefined when there are too many. */
async function distinct(
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

/** Different values of some columns, and what each of them means in the batch under construction. */
class Dictionary {
  readonly name: string;
  private readonly columns: readonly string[];
  private readonly entries: readonly Entry[];
  private generation = -1;
  private seen = new Uint8Array(0);
  private meanings: Record<string, Int32Array> = {};

  constructor(name: string, columns: readonly string[], entries: readonly Entry[]) {
    this.name = name;
    this.columns = columns;
    this.entries = entries;
  }

  /** SQL that gives the rows of a table their place in it. */
  join(table: string): string {
    const same = this.columns.map((column) => {
      const member = quoted(column);
      return `d_${this.name}.${member} is not distinct from ${table}.${member}`;
    });
    return `join ${quoted(`of_${this.name}`)} d_${this.name} on ${same.join(' and ')}`;
  }

  /** Places as what each entry means in the batch: one column or several. */
  translate(
    places: Int32Array,
    generation: number,
    enter: (entry: Entry) => Readonly<Record<string, number>>,
  ): Record<string, Int32Array> {
    if (generation !== this.generation) {
      this.generation = generation;
      this.seen = new Uint8Array(this.entries.length);
    }
    for (const place of places) {
      if (this.seen[place]) continue;
      this.seen[place] = 1;
      for (const [column, code] of Object.entries(enter(this.entries[place] as Entry))) {
        this.meanings[column] ??= new Int32Array(this.entries.length);
        this.meanings[column][place] = code;
      }
    }
    const columns: Record<string, Int32Array> = {};
    for (const [column, codes] of Object.entries(this.meanings)) {
      const meant = new Int32Array(places.length);
      for (let row = 0; row < places.length; row++) meant[row] = codes[places[row] as number] as number;
      columns[column] = meant;
    }
    return columns;
  }
}

type Column = ReadColumns['columns'][string];
type TextColumn = Extract<Column, { readonly offsets: Uint32Array }>;

const sliced = (column: Column, from: number, to: number): Column =>
  ArrayBuffer.isView(column)
    ? (column.subarray(from, to) as Column)
    : { bytes: column.bytes, offsets: column.offsets.subarray(from, to + 1) };

const textBytes = ({ offsets }: TextColumn): number => (offsets.at(-1) as number) - (offsets[0] as number);
