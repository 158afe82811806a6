import type { AppendColumn, AppendRows } from '../../../model/storage/engine.ts';

/**
 * Edges already emitted by a data source: several readers share a large file, and each emits the edges that it finds.
 * Repeats add nothing.
 */
export class EmittedEdges {
  private readonly emitted = new Set<string>();

  /** The rows that are new; undefined when none is. */
  fresh({ columns, count }: AppendRows): AppendRows | undefined {
    const rows: number[] = [];
    for (let row = 0; row < count; row++) {
      const key = columns.map((column) => (column.type === 'constant' ? '' : String(valueAt(column, row)))).join(' ');
      if (this.emitted.has(key)) continue;
      this.emitted.add(key);
      rows.push(row);
    }
    if (rows.length === 0) return undefined;
    return { columns: columns.map((column) => picked(column, rows)), count: rows.length };
  }
}

type EdgeColumn = Extract<AppendColumn, { type: 'code' | 'i64' }>;

function valueAt(column: AppendColumn, row: number): number | bigint | undefined {
  return (column as EdgeColumn).values[row];
}

/** Edges consist of codes and times only. */
function picked(column: AppendColumn, rows: readonly number[]): AppendColumn {
  switch (column.type) {
    case 'code':
      return { type: 'code', values: Int32Array.from(rows, (row) => column.values[row]!) };
    case 'i64':
      return { type: 'i64', values: BigInt64Array.from(rows, (row) => column.values[row]!) };
    case 'constant':
      return column;
    default:
      throw new Error(`bug: an edge has no ${column.type}`);
  }
}
