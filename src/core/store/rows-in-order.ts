import type { Session } from '../../model/engine.ts';
import type { OrderedRows } from '../../model/ordered-rows.ts';

/**
 * The engine sorts some 100,000 rows with all their columns at a time, whatever they take, and each of its threads does: 300 k
 * logs of 6 KB ran out of memory, spans of 450 bytes never do.
 */
const WIDE_BYTES = 1300;
/** Rows that are sorted at a time where they are wide: several threads have one each, and what waits to be written in order. */
const PART_BYTES = 16 << 20;
const ROW_GROUP_BYTES = 16 << 20;
const LEAST_ROW_GROUP = 2048;
/** Less is sorted as one, however wide. */
const LEAST_BYTES = 128 << 20;

/**
 * Rows in an order, cut into parts of its first key where they are too wide to be sorted as one.
 * @param rows SQL up to and with a WHERE, without ORDER BY
 * @param key by which they are sorted first, as SQL over the columns that `rows` has and answers
 * @param order all of ORDER BY, with `key` first
 */
export async function rowsInOrder(
  session: Session,
  { rows, key, order }: { readonly rows: string; readonly key: string; readonly order: string },
): Promise<OrderedRows> {
  const sql = `${rows} order by ${order}`;
  const { count, bytes } = await sizeOf(session, rows);
  if (bytes < WIDE_BYTES * count || bytes < LEAST_BYTES) return { sql };
  const parts = Math.min(count, Math.ceil(bytes / PART_BYTES));
  const shares = Array.from({ length: parts - 1 }, (_, i) => (i + 1) / parts);
  const found = await session.query(
    `select distinct unnest(quantile_disc(${key}, [${shares.join(', ')}])) as border from (${rows}) order by border`,
  );
  const borders = (found.columns[0] ?? []).map(String);
  return {
    sql,
    wide: {
      parts: [...borders, undefined].map(
        (to, i) => `${rows} and ${between(key, borders[i - 1], to)} order by ${order}`,
      ),
      row_group: Math.max(LEAST_ROW_GROUP, Math.floor((ROW_GROUP_BYTES * count) / bytes)),
    },
  };
}

/** The last part has those without a key, which are last in any order. */
function between(key: string, from: string | undefined, to: string | undefined): string {
  if (to === undefined) return from === undefined ? 'true' : `(${key} >= ${from} or ${key} is null)`;
  return from === undefined ? `${key} < ${to}` : `${key} >= ${from} and ${key} < ${to}`;
}

/** Rows, and bytes of their texts. */
async function sizeOf(session: Session, rows: string): Promise<{ readonly count: number; readonly bytes: number }> {
  const described = await session.query(`describe ${rows}`);
  const texts = (described.columns[0] ?? []).filter((_, i) => described.columns[1]?.[i] === 'VARCHAR');
  if (texts.length === 0) return { count: 0, bytes: 0 };
  const bytes = texts.map((name) => `coalesce(sum(strlen("${name}")), 0)::double`).join(' + ');
  const { columns } = await session.query(`select count(*)::double, ${bytes} from (${rows})`);
  return { count: columns[0]?.[0] as number, bytes: columns[1]?.[0] as number };
}
