import type { OrderedRows } from '../../../model/rows/ordered-rows.ts';
import type { Session } from '../../../model/storage/engine.ts';

/**
 * The engine sorts some 100,000 rows with all their columns at a time, whatever they take, and each of its threads does: 300 k
 * logs of 6 KB ran out of memory, spans of 450 bytes never do.
 */
const WIDE_BYTES = 1300;
/** Rows that are sorted at a time where they are wide: 300 k logs of 6 KB took 1.02 GB with 16 MB of them, 1.10 with 32, 1.40 with 64. */
const PART_BYTES = 32 << 20;
const ROW_GROUP_BYTES = 16 << 20;
const LEAST_ROW_GROUP = 2048;
/** Less is sorted as one, however wide. */
const LEAST_BYTES = 128 << 20;

export interface Wanted {
  /** SQL of those rows for which a condition holds. */
  rows(where: string): string;
  /** By which they are sorted first, as SQL over the columns that a condition and {@link Measure.from} have. */
  readonly key: string;
  /** All of ORDER BY, with `key` first. */
  readonly order: string;
  /** Set if measuring the rows themselves takes long. */
  readonly measure?: Measure;
}

interface Measure {
  /** SQL of one row: how many rows there are, and bytes of their texts. */
  readonly size: string;
  /** FROM of all rows' keys. */
  readonly from: string;
  /** A stored column near the key: by conditions over it alone does the engine leave out what it has not read. */
  readonly column: string;
  /** SQL of one row: what is added to that column at least, and at most, to make the key. */
  readonly added: string;
}

/** Rows in an order, cut into parts of its first key where they are too wide to be sorted as one. */
export async function rowsInOrder(session: Session, { rows, key, order, measure }: Wanted): Promise<OrderedRows> {
  const all = rows('true');
  const sql = `${all} order by ${order}`;
  const { count, bytes } = await sizeOf(session, measure?.size ?? (await textsOf(session, all)));
  if (bytes < WIDE_BYTES * count || bytes < LEAST_BYTES) return { sql };
  const parts = Math.min(count, Math.ceil(bytes / PART_BYTES));
  const shares = Array.from({ length: parts - 1 }, (_, i) => (i + 1) / parts);
  const from = measure?.from ?? `(${all})`;
  const found = await session.query(
    `select distinct unnest(quantile_disc(${key}, [${shares.join(', ')}])) as border from ${from} order by border`,
  );
  const borders = (found.columns[0] ?? []).map(String);
  const near = await nearby(session, measure);
  const part = (from?: string, to?: string): string => rows([between(key, from, to), ...near(from, to)].join(' and '));
  return {
    sql,
    wide: {
      parts: [...borders, undefined].map((to, i) => `${part(borders[i - 1], to)} order by ${order}`),
      count: `select count(*) from ${from}`,
      row_group: Math.max(LEAST_ROW_GROUP, Math.floor((ROW_GROUP_BYTES * count) / bytes)),
    },
  };
}

/** Conditions that hold for all rows of a part, and for few others. */
async function nearby(session: Session, measure: Measure | undefined) {
  if (!measure) return () => [];
  const { columns } = await session.query(measure.added);
  const [least = 0n, most = 0n] = columns.map(([value]) => BigInt(value as bigint));
  return (from?: string, to?: string): string[] => [
    ...(from === undefined ? [] : [`${measure.column} >= ${BigInt(from) - most}`]),
    ...(to === undefined ? [] : [`${measure.column} < ${BigInt(to) - least}`]),
  ];
}

/** The last part has those without a key, which are last in any order. */
function between(key: string, from: string | undefined, to: string | undefined): string {
  if (to === undefined) return from === undefined ? 'true' : `(${key} >= ${from} or ${key} is null)`;
  return from === undefined ? `${key} < ${to}` : `${key} >= ${from} and ${key} < ${to}`;
}

/** SQL of how many rows there are, and bytes of their texts. */
async function textsOf(session: Session, rows: string): Promise<string> {
  const described = await session.query(`describe ${rows}`);
  const texts = (described.columns[0] ?? []).filter((_, i) => described.columns[1]?.[i] === 'VARCHAR');
  const bytes = texts.map((name) => `coalesce(sum(strlen("${name}")), 0)`).join(' + ');
  return `select count(*), ${bytes || 0} from (${rows})`;
}

async function sizeOf(session: Session, sql: string): Promise<{ readonly count: number; readonly bytes: number }> {
  const { columns } = await session.query(sql);
  return { count: Number(columns[0]?.[0]), bytes: Number(columns[1]?.[0]) };
}
