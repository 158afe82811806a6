import {
  type ColumnType,
  type RowBatch,
  type TableName,
  type TableRows,
  type TextColumn,
  tables,
} from '../../../model/rows/rows.ts';

/** Providers are asked for the same hours again and again; older than this nobody asks. */
const MOST_REMEMBERED = 200_000;
const decoder = new TextDecoder();

/** Takes out of batches what was told before: events and points that later answers repeat. */
export class OnlyNew {
  private readonly told = new Set<string>();

  /** @param asked_ns the time of what states none: that it was asked again makes nothing new */
  filter(batch: RowBatch, asked_ns: bigint): RowBatch {
    const rows: Record<string, unknown> = { ...batch.tables };
    for (const table of ['event', 'point', 'reject'] as const) {
      const found = batch.tables[table] as TableRows | undefined;
      if (!found) continue;
      const kept: number[] = [];
      for (let row = 0; row < found.count; row++) {
        const key = keyOf(table, batch, found, row, asked_ns);
        if (this.told.has(key)) continue;
        kept.push(row);
        this.remember(key);
      }
      if (kept.length === 0) delete rows[table];
      else rows[table] = { count: kept.length, columns: chosen(table, found, kept) };
    }
    return { ...batch, tables: rows as RowBatch['tables'] };
  }

  private remember(key: string): void {
    this.told.add(key);
    if (this.told.size <= MOST_REMEMBERED) return;
    const [oldest] = this.told;
    if (oldest !== undefined) this.told.delete(oldest);
  }
}

const textAt = ({ bytes, offsets }: TextColumn, row: number): string =>
  decoder.decode(bytes.subarray(offsets[row], offsets[row + 1]));

function keyOf(
  table: 'event' | 'point' | 'reject',
  batch: RowBatch,
  rows: TableRows,
  row: number,
  asked: bigint,
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
  const time = time_ns[row] === asked ? textAt(attributes, row) : String(time_ns[row]);
  const about = `${entityName(entity[row]!)} ${batch.names[type[row]!]}`;
  return `event ${textAt(original_id, row)} ${about} ${textAt(message, row)} ${time}`;
}

/** Some rows of a table, in their order. */
function chosen(table: TableName, rows: TableRows, kept: readonly number[]): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(tables[table]) as [string, ColumnType][]) {
    const column: unknown = rows.columns[name as never];
    if (type !== 'text') {
      const all = column as BigInt64Array;
      const some = new (all.constructor as new (size: number) => BigInt64Array)(kept.length);
      kept.forEach((row, i) => {
        some[i] = all[row]!;
      });
      columns[name] = some;
      continue;
    }
    const { bytes, offsets } = column as TextColumn;
    const pieces = kept.map((row) => bytes.subarray(offsets[row], offsets[row + 1]));
    const places = new Uint32Array(kept.length + 1);
    pieces.forEach((piece, i) => {
      places[i + 1] = places[i]! + piece.length;
    });
    const joined = new Uint8Array(places[kept.length]!);
    pieces.forEach((piece, i) => {
      joined.set(piece, places[i]);
    });
    columns[name] = { bytes: joined, offsets: places };
  }
  return columns;
}
