import { TextBuilder } from '../../../model/rows/batch-builder.ts';
import { type FileDictionary, type RowsInFile, tables } from '../../../model/rows/rows.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { ColumnMapping } from '../../../model/storage/source.ts';
import type { Output } from '../otlp/output.ts';
import { type Entry, type PlainTable, plainTables } from './plain-tables.ts';
import { quoted } from './select.ts';
import { type Shape, targets } from './targets.ts';
import { textOf } from './values.ts';

/** More different values than this are no dictionary: the table is read row by row. */
const MOST_VALUES = 100_000;

interface Dictionary {
  readonly name: string;
  readonly columns: readonly string[];
  readonly entries: readonly Entry[];
}

/**
 * The rows of a table that need no second look (ids are whole, times are given, nothing is nested). The case's own engine
 * inserts them, and here only texts that repeat are looked at, once each. All others, and every reason to reject one, are
 * left to the row by row reader.
 */
export class PlainRows {
  private readonly table: PlainTable;
  private readonly absent: string;
  private readonly dictionaries: readonly Dictionary[];
  /** SQL of what else makes a row plain; '': nothing. */
  private readonly unless: string;

  private constructor(table: PlainTable, absent: string, dictionaries: readonly Dictionary[], unless: string) {
    this.table = table;
    this.absent = absent;
    this.dictionaries = dictionaries;
    this.unless = unless;
  }

  /** @param mapped SQL of the mapped table; undefined: this table has to be read row by row */
  static async prepare(
    session: Session,
    mapping: ColumnMapping,
    mapped: string,
    out: Output,
  ): Promise<PlainRows | undefined> {
    const table = plainTables[mapping.table];
    if (!table) return undefined;
    const members = Object.values(table.dictionaries).flatMap(({ columns }) => columns);
    const missing = [...new Set([...table.columns, ...members])].filter(
      (name) => !Object.hasOwn(mapping.columns, name),
    );
    const absent = missing
      .map((name) => `, null::${typeOf(targets[mapping.table][name]?.shape)} as ${quoted(name)}`)
      .join('');
    const dictionaries: Dictionary[] = [];
    for (const [name, { columns, entities }] of Object.entries(table.dictionaries)) {
      const where = entities ? `where ${table.mentions}` : '';
      const entries = await distinct(session, columns, `(select *${absent} from (${mapped})) m ${where}`);
      if (!entries) return undefined;
      dictionaries.push({ name, columns, entries });
    }
    const all = dictionaries.flatMap(({ entries }) => entries);
    const unless = table.unless?.(out, all, mapping) ?? '';
    return new PlainRows(table, absent, dictionaries, unless);
  }

  /**
   * What the case's engine is to insert; numbers of dictionaries are those of the batch under construction.
   * @param mapped SQL of the mapped table over `in_file`
   */
  inFile(out: Output, mapped: string): Pick<RowsInFile, 'table' | 'select' | 'dictionaries'> {
    const { table } = this;
    const dictionaries = this.dictionaries.map((dictionary) => entered(table, dictionary, out));
    const source: Record<string, string> = {};
    for (const name of Object.keys(table.values)) source[name] = `m.our_${name}`;
    for (const { name, codes } of dictionaries)
      for (const column of Object.keys(codes)) source[column] = `${name}.${quoted(column)}`;
    const columns = Object.keys(tables[table.name]).map((column) => source[column]!);
    const joins = this.dictionaries.map((dictionary) => join(dictionary));
    // A condition on both sides of a join comes after it, where values are there. Below it, where the engine would move it, ids
    // are worked out three times: 1.5 M spans 1.6 to 1.8 s instead of 1.1 to 1.2.
    const joined = `${tableOf(this.dictionaries[0]!.name)}.rowid >= 0`;
    const select = `select ${columns.join(', ')} from (${this.withValues(mapped)}) m ${joins.join(' ')}
      where case when ${joined} then ${this.plain} end`;
    return { table: table.name, select, dictionaries };
  }

  /** SQL of the numbers of rows that are not plain, ascending; `to` is not among them. */
  odd(mapped: string, from: number, to: number): string {
    return `select row_number::double from (${this.withValues(mapped)}) m
      where row_number between ${from} and ${to - 1} and not coalesce(${this.plain}, false) order by 1`;
  }

  private withValues(mapped: string): string {
    const ours = Object.entries(this.table.values).map(([name, { sql }]) => `${sql} as ${quoted(`our_${name}`)}`);
    return `select m.*, ${ours.join(', ')} from (select *${this.absent} from (${mapped})) m`;
  }

  private get plain(): string {
    const needed = Object.entries(this.table.values).filter(([, value]) => value.needed);
    const given = needed.map(([name]) => `m.our_${name} is not null`);
    const conditions = [this.table.mentions, ...given, this.table.plain, this.unless];
    return conditions.filter((condition) => condition !== '').join(' and ');
  }
}

const typeOf = (shape: Shape | undefined): string =>
  shape === 'time' || shape === 'duration' ? 'bigint' : shape === 'number' ? 'double' : 'varchar';

/**
 * Different values of some columns of text, in an order of their own: two imports of a file number its names alike. Undefined
 * when there are too many, or no row has any.
 */
async function distinct(
  session: Session,
  columns: readonly string[],
  rows: string,
): Promise<readonly Entry[] | undefined> {
  const texts = columns.map((column) => `nullif(${quoted(column)}, '')`).join(', ');
  const answer = await session.query(`select distinct ${texts} from ${rows} order by all limit ${MOST_VALUES + 1}`);
  if (answer.count > MOST_VALUES || answer.count === 0) return undefined;
  return Array.from({ length: answer.count }, (_, row) =>
    Object.fromEntries(columns.map((column, i) => [column, answer.columns[i]?.[row]])),
  );
}

const tableOf = (dictionary: string): string => `of_${dictionary}`;
const memberOf = (column: string): string => `given_${column}`;

/** SQL that finds the entry of a row. */
function join({ name, columns }: Dictionary): string {
  const same = columns.map((column) => {
    return `${tableOf(name)}.${memberOf(column)} is not distinct from nullif(m.${quoted(column)}, '')`;
  });
  return `join ${tableOf(name)} on ${same.join(' and ')}`;
}

function entered(table: PlainTable, { name, columns, entries }: Dictionary, out: Output): FileDictionary {
  const codes: Record<string, Int32Array> = {};
  for (const [place, entry] of entries.entries())
    for (const [column, code] of Object.entries(table.enter(out, name, entry))) {
      codes[column] ??= new Int32Array(entries.length);
      codes[column][place] = code;
    }
  const members = Object.fromEntries(columns.map((column) => [memberOf(column), texts(entries, column)]));
  return { name: tableOf(name), count: entries.length, members, codes };
}

function texts(entries: readonly Entry[], column: string) {
  const builder = new TextBuilder();
  for (const entry of entries) {
    builder.append(textOf(entry[column]));
    builder.endRow();
  }
  return builder.finish();
}
