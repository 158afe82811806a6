import type { RowBatch, TextColumn } from './rows.ts';

/** The buffers of a batch: they may be transferred, not copied, to another thread, and used again. */
export function buffersOf(batch: RowBatch): ArrayBuffer[] {
  const views = Object.values(batch.tables).flatMap((table) =>
    (Object.values(table.columns) as (ArrayBufferView | TextColumn)[]).flatMap((column) =>
      ArrayBuffer.isView(column) ? [column] : [column.bytes, column.offsets],
    ),
  );
  // Columns without a text share one buffer of no bytes.
  return views.map(({ buffer }) => buffer as ArrayBuffer).filter(({ byteLength }) => byteLength > 0);
}
