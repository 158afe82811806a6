import type { ColumnMapping, TimeUnit } from '../../../model/storage/source.ts';
import type { ForeignColumn } from './mapping.ts';
import { type Shape, targets } from './targets.ts';

const factors: Readonly<Record<TimeUnit, number>> = { ns: 1, us: 1_000, ms: 1_000_000, s: 1_000_000_000 };

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const textLiteral = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/**
 * The SQL that reads a mapped table: one column per target, ids as hex, times and durations as whole
 * nanoseconds, nested values as JSON text; values that cannot be converted are NULL. `source` yields the foreign columns.
 */
export function selectMapped(
  mapping: ColumnMapping,
  columns: readonly ForeignColumn[],
  source: string,
  where = '',
): string {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const list = Object.entries(mapping.columns).map(([target, { column, unit }]) => {
    const shape = targets[mapping.table][target]?.shape ?? 'text';
    const foreign = byName.get(column)!;
    return `${converted(shape, foreign, unit)} as ${quoted(target)}`;
  });
  return `select file_row_number as row_number, ${list.join(', ')} from ${source} ${where}`;
}

function converted(shape: Shape, { sql, type }: ForeignColumn, unit: TimeUnit | undefined): string {
  switch (shape) {
    case 'trace id':
    case 'span id':
      if (type === 'BLOB' || type.startsWith('BLOB')) return `hex(${sql})`;
      if (/INT/.test(type)) return `printf('%0${shape === 'span id' ? 16 : 32}x', ${sql})`;
      return `${sql}::varchar`;
    case 'time':
      return time(sql, type, unit);
    case 'duration':
      if (type === 'INTERVAL') return `try(epoch_us(${sql}) * 1000)`;
      return type === 'BIGINT' && isCount(unit) ? sql : `try(try_cast(${sql} * ${factors[unit ?? 'ns']} as bigint))`;
    case 'number':
      return `try_cast(${sql} as double)`;
    case 'json':
      return type === 'VARCHAR' || type === 'JSON' ? `${sql}::varchar` : `to_json(${sql})::varchar`;
    case 'list':
      return type === 'VARCHAR' || type === 'JSON' ? `${sql}::varchar` : `to_json(${exactTimes(sql, type)})::varchar`;
    case 'text':
      return `${sql}::varchar`;
  }
}

/** Nanoseconds of today are no doubles, as which numbers of JSON are read: times in members become text. */
function exactTimes(sql: string, type: string): string {
  const exact = type.replaceAll(/(\w*time\w*"?) U?BIGINT/gi, '$1 VARCHAR');
  return exact === type ? sql : `${sql}::${exact}`;
}

/** Of nanoseconds, as we count them. */
const isCount = (unit: TimeUnit | undefined): boolean => unit === 'ns';

function time(sql: string, type: string, unit: TimeUnit | undefined): string {
  if (type.startsWith('TIMESTAMP') || type === 'DATE') return `try(epoch_ns(${sql}::timestamp_ns))`;
  if (type === 'VARCHAR') return `try(epoch_ns(try_cast(${sql} as timestamp_ns)))`;
  if (type === 'BIGINT' && isCount(unit)) return sql;
  if (unit !== undefined && /INT/.test(type)) return `try(try_cast(${sql} as bigint) * ${factors[unit]})`;
  if (unit !== undefined) return `try(try_cast(${sql}::decimal(38, 9) * ${factors[unit]} as bigint))`;
  // The unit is unknown: since 1973 nanoseconds have 18 digits, and each coarser unit three fewer.
  return `try(try_cast(${sql} * case when abs(${sql}) >= 1e17 then 1 when abs(${sql}) >= 1e14 then 1000 when abs(${sql}) >= 1e11 then 1000000 else 1000000000 end as bigint))`;
}

export const readParquet = (path: string): string =>
  `read_parquet(${textLiteral(path)}, file_row_number = true, hive_partitioning = false)`;
