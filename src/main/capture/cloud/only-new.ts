import {
  type ColumnType,
  type RowBatch,
  type TableName,
  type TableRows,
  type TextColumn,
  tables,
} from '../../../model/rows/rows.ts';

/** Polls overlap by some hours; older rows are not polled again. */
const MOST_REMEMBERED = 200_000;
const decoder = new TextDecoder();

/** Removes events and points that earlier polls already delivered. */
export class OnlyNew {
  private readonly emitted = new Set<string>();

  /** @param requested_ns time of records without one; a new poll time alone makes no record new */
  filter(batch: RowBatch, requested_ns: bigint): RowBatch {
    const rows: Record<string, unknown> = { ...batch.tables };
    for (const table of ['event', 'point', 'reject'] as const) {
      const found = batch.tables[table] as TableRows | undefined;
      if (!found) continue;
      const newRows: number[] = [];
      for (let row = 0; row < found.count; row++) {
        const key = keyOf(table, batch, found, row, requested_ns);
        if (this.emitted.has(key)) continue;
        newRows.push(row);
        this.remember(key);
      }
      if (newRows.length === 0) delete rows[table];
      else rows[table] = { count: newRows.length, columns: pickRows(table, found, newRows) };
    }
    return { ...batch, tables: rows as RowBatch['tables'] };
  }

  private remember(key: string): void {
    this.emitted.add(key);
    if (this.emitted.size <= MOST_REMEMBERED) return;
    const [oldest] = this.emitted;
    if (oldest !== undefined) this.emitted.delete(oldest);
  }
}

const textAt = ({ bytes, offsets }: TextColumn, row: number): string =>
  decoder.decode(bytes.subarray(offsets[row], offsets[row + 1]));

function keyOf(
  table: 'event' | 'point' | 'reject',
  batch: RowBatch,
  rows: TableRows,
  row: number,
  requestedAt: bigint,
): string {
  if (table === 'reject') {
    const { reason, excerpt } = (rows as TableRows<'reject'>).columns;
    return `reject ${textAt(reason, row)} ${textAt(excerpt, row)}`;
  }
  const entityName = (at: number) => (at < 0 ? '' : `${batch.entities[at]?.kind}:${batch.entities[at]?.id}`);
  if (table === 'point') {
    const { series, time_ns } = (rows as TableRows<'point'>).columns;
    const { metric, entity, attributes } = batch.series[series[row]!] ?? {
      metric: '',
      entity: -1,
      attributes: '',
    };
    return `point ${metric} ${entityName(entity)} ${attributes} ${time_ns[row]}`;
  }
  const { original_id, time_ns, entity, type, message, attributes } = (rows as TableRows<'event'>).columns;
  const time = time_ns[row] === requestedAt ? textAt(attributes, row) : String(time_ns[row]);
  const about = `${entityName(entity[row]!)} ${batch.names[type[row]!]}`;
  return `event ${textAt(original_id, row)} ${about} ${textAt(message, row)} ${time}`;
}

/** Selects rows of a table, in their order. */
function pickRows(table: TableName, rows: TableRows, newRows: readonly number[]): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(tables[table]) as [string, ColumnType][]) {
    const column: unknown = rows.columns[name as never];
    if (type !== 'text') {
      const all = column as BigInt64Array;
      const some = new (all.constructor as new (size: number) => BigInt64Array)(newRows.length);
      newRows.forEach((row, i) => {
        some[i] = all[row]!;
      });
      columns[name] = some;
      continue;
    }
    const { bytes, offsets } = column as TextColumn;
    const pieces = newRows.map((row) => bytes.subarray(offsets[row], offsets[row + 1]));
    const places = new Uint32Array(newRows.length + 1);
    pieces.forEach((piece, i) => {
      places[i + 1] = places[i]! + piece.length;
    });
    const joined = new Uint8Array(places[newRows.length]!);
    pieces.forEach((piece, i) => {
      joined.set(piece, places[i]);
    });
    columns[name] = { bytes: joined, offsets: places };
  }
  return columns;
}
