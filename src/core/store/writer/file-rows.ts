import { assert } from '../../../base/assert.ts';
import { type ColumnType, type FileDictionary, type RowsInFile, tables } from '../../../model/rows/rows.ts';
import type { AppendColumn, AppendRows, FileWork, Session } from '../../../model/storage/engine.ts';
import type { Remap } from './identities.ts';
import type { TimeRange } from './stored-columns.ts';

/** Result of an INSERT. */
export interface InsertedRows {
  readonly rows: number;
  /** First and last times of stretches of rows as they lie, of rows with a time. */
  readonly times: readonly TimeRange[];
}

/** Rows with common time bounds: those of a row group. */
const STRETCH = 122_880;

/** Inserts the selected rows of a file, with the case's numbers for its dictionaries. In the source's transaction. */
export async function insertRowsInFile(
  session: Session,
  { table, path, name, select, dictionaries }: RowsInFile,
  { remap, source }: { readonly remap: Remap; readonly source: number },
  work: FileWork,
): Promise<InsertedRows> {
  for (const dictionary of dictionaries) await enter(session, dictionary, tables[table], remap);
  const rows = await session.insertFile(table, { path, name, select: `select ${source}, * from (${select})` }, work);
  for (const dictionary of dictionaries) await session.execute(`drop table temp.${dictionary.name}`);
  const time = table === 'span' ? 'start_ns' : 'time_ns';
  const { columns } = await session.query(
    `select min(${time}), max(${time}) from ${table}
     where source_id = $1 and ${time} <> 0 group by rowid // ${STRETCH}`,
    [source],
    work.signal,
  );
  const [firsts = [], lasts = []] = columns as readonly (readonly bigint[])[];
  return { rows, times: firsts.map((first, i) => ({ first, last: lasts[i]! })) };
}

/** Members as they stand in the file, and beside them the numbers of the case. */
async function enter(
  session: Session,
  { name, count, members, codes }: FileDictionary,
  types: Readonly<Record<string, ColumnType>>,
  remap: Remap,
): Promise<void> {
  const texts = Object.entries(members).map(([member, values]) => [member, { type: 'text', values }] as const);
  const numbers = Object.entries(codes).map(
    ([column, values]) => [column, coded(types[column], values, remap)] as const,
  );
  const all: readonly (readonly [string, AppendColumn])[] = [...texts, ...numbers];
  const columns = all.map(([column, { type }]) => `"${column}" ${type === 'text' ? 'varchar' : 'integer'}`);
  await session.execute(`create or replace temp table ${name} (${columns.join(', ')})`);
  const rows: AppendRows = { columns: all.map(([, column]) => column), count };
  const waiting = [rows];
  await session.insert(`temp.${name}`, {
    types: rows.columns.map(({ type }) => type),
    next: () => waiting.shift() ?? 'end',
  });
}

function coded(type: ColumnType | undefined, values: Int32Array, remap: Remap): AppendColumn {
  assert(type !== undefined, 'a dictionary names a column that its table does not have');
  if (type !== 'name' && type !== 'entity' && type !== 'resource' && type !== 'series') return { type: 'i32', values };
  return { type: 'code', values: values.map((place) => (place < 0 ? -1 : remap[type][place]!)) };
}
