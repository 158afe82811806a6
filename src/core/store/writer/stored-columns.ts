import { assert, unreachable } from '../../../base/assert.ts';
import {
  type ColumnType,
  type ColumnValues,
  type TableName,
  type TableRows,
  tables,
} from '../../../model/rows/rows.ts';
import type { AppendColumn } from '../../../model/storage/engine.ts';
import type { Remap } from './identities.ts';

/** Rows of a batch on their way into a table of the case. */
export interface StoredRows {
  readonly table: TableName;
  readonly rows: TableRows;
  readonly remap: Remap;
  /** Number of their source, and of the first event among them. */
  readonly source: number;
  readonly event: number;
}

/** Columns in the table's order, with the case's numbers instead of the batch's own, which are written over. */
export function storedColumns({ table, rows: { columns, count }, remap, source, event }: StoredRows): AppendColumn[] {
  const values = columns as Readonly<Record<string, unknown>>;
  const result: AppendColumn[] = [{ type: 'constant', value: source }];
  if (table === 'event')
    result.unshift({ type: 'i32', values: Int32Array.from({ length: count }, (_, i) => event + i) });
  for (const [column, type] of Object.entries(tables[table]) as [string, ColumnType][])
    result.push(appendColumn(type, values[column], remap, `${table}.${column}`));
  return result;
}

/** The columns by which rows lie in time; the first one present counts for a source's time range. */
const timeColumns = ['time_ns', 'start_ns', 'created_ns'] as const;

export interface TimeRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** When each row was; undefined if rows of this table have no time. */
export function timesOf({ columns }: TableRows): BigInt64Array | undefined {
  const given = columns as Readonly<Record<string, BigInt64Array | undefined>>;
  const column = timeColumns.find((name) => given[name]);
  return column && given[column];
}

/** Of rows with a time; undefined if there are none. */
export function timeRangeOf(rows: TableRows): TimeRange | undefined {
  const times = timesOf(rows);
  return times && timeRange(times);
}

function appendColumn(type: ColumnType, values: unknown, remap: Remap, place: string): AppendColumn {
  assert(values !== undefined, `${place} is missing from a batch`);
  switch (type) {
    case 'name':
    case 'entity':
    case 'resource':
    case 'series':
      return { type: 'code', values: translate(values as Int32Array, remap[type], place) };
    case 'text':
      return { type, values: values as ColumnValues['text'] };
    case 'u8':
      return { type, values: values as Uint8Array };
    case 'u32':
      return { type, values: values as Uint32Array };
    case 'i64':
      return { type, values: values as BigInt64Array };
    case 'u64':
      return { type, values: values as BigUint64Array };
    case 'f64':
      return { type, values: values as Float64Array };
    default:
      return unreachable(type);
  }
}

/**
 * Zero is "not given" in OTLP, not 1970. Halves are compared as one double, which orders all times but those some
 * hundred nanoseconds apart: a bigint is only made of those that may be the first or the last.
 */
function timeRange(times: BigInt64Array): TimeRange | undefined {
  const halves = new Int32Array(times.buffer, times.byteOffset, times.length * 2);
  let range: { first: bigint; last: bigint } | undefined;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < times.length; i++) {
    const about = halves[2 * i + 1]! * 4294967296 + (halves[2 * i]! >>> 0);
    if ((about > low && about < high) || about === 0) continue;
    const time = times[i]!;
    range ??= { first: time, last: time };
    if (time < range.first) range.first = time;
    if (time > range.last) range.last = time;
    [low, high] = [Math.min(low, about), Math.max(high, about)];
  }
  return range;
}

/** In place: the batch's own numbers are not needed any more. */
function translate(local: Int32Array, ids: Int32Array, place: string): Int32Array {
  for (let i = 0; i < local.length; i++) {
    const index = local[i]!;
    if (index >= ids.length) assert(false, `${place} refers to item ${index} of ${ids.length}`);
    local[i] = index < 0 ? -1 : ids[index]!;
  }
  return local;
}
