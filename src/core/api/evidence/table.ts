import type { Table } from '../../../model/contract/index.ts';
import type { SqlResult } from '../../../model/storage/engine.ts';

/** Rows as a window shows them; values without a cell are JSON. */
export function toTable(result: SqlResult, truncated: boolean): Table {
  const cell = (value: unknown): Table['rows'][number][number] => {
    if (value === undefined) return null;
    if (
      value === null ||
      typeof value === 'string' ||
      typeof value === 'number' ||
      typeof value === 'bigint' ||
      typeof value === 'boolean'
    )
      return value;
    return value instanceof Date ? value.toISOString() : JSON.stringify(value);
  };
  return {
    columns: result.names.map((name, i) => ({ name, type: result.types[i] ?? '' })),
    rows: Array.from({ length: result.count }, (_, row) => result.columns.map((column) => cell(column[row]))),
    truncated,
  };
}
