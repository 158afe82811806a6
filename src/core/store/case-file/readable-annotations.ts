import type { TableSelect } from '../../../model/storage/bundle.ts';
import type { SqlValue } from '../../../model/storage/engine.ts';

/** Notes and marks of the investigator in a damaged case. */
export interface ReadableAnnotations {
  /** null: all of them, as the table has them. */
  readonly rows: readonly Readonly<Record<string, SqlValue>>[] | null;
  readonly lost: number;
}

/** Returns null if unreadable. */
type RunQuery = <T>(sql: string) => Promise<T[] | null>;

/** Each failure reopens the copy; after this many failures the rest of the table is skipped. */
const MOST_FAILURES = 300;

/**
 * Reads the whole table, or else row by row by way of its key: a scan reads some two thousand rows with whatever they hold, a
 * lookup of one only where its own texts lie.
 */
export async function readableAnnotations(runQuery: RunQuery): Promise<ReadableAnnotations> {
  if ((await runQuery('select bit_xor(hash(t)) from annotation t')) !== null) return { rows: null, lost: 0 };
  const ids = await runQuery<{ id: string }>('select annotation_id as id from annotation');
  if (ids === null) return { rows: [], lost: await counted(runQuery) };
  const rows: Readonly<Record<string, SqlValue>>[] = [];
  let failures = 0;
  for (const { id } of ids) {
    if (failures >= MOST_FAILURES) break;
    const [row] = (await runQuery<Readonly<Record<string, SqlValue>>>(ofId(id))) ?? [];
    if (row) rows.push(row);
    else failures++;
  }
  return { rows, lost: ids.length - rows.length };
}

/** A bound value would not be looked up by the key. */
const ofId = (id: string): string => `select * from annotation where annotation_id = ${literal(id)}`;

/** By its row groups, else by the list of tables. */
async function counted(ask: RunQuery): Promise<number> {
  const [found] =
    (await ask<{ n: number }>('select count(*)::double as n from annotation')) ??
    (await ask<{ n: number }>(
      "select estimated_size::double as n from duckdb_tables() where table_name = 'annotation'",
    )) ??
    [];
  return found?.n ?? 0;
}

/** Takes the place of the table's own rows, which cannot be asked for together. */
export function withReadable(select: TableSelect, { rows }: ReadableAnnotations): TableSelect {
  if (select.table !== 'annotation' || rows === null || rows.length === 0) return select;
  const { table, columns } = select;
  const values = rows.map(
    (row) => `(${columns.map(({ name, type }) => `${literal(row[name] ?? null)}::${type}`).join(', ')})`,
  );
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  return {
    table,
    columns,
    sql: `select ${names} from (values ${values.join(', ')}) t(${names}) order by made_at_ns, annotation_id`,
  };
}

const literal = (value: SqlValue): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
