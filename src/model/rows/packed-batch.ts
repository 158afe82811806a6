import { buffersOf } from './batch-buffers.ts';
import { releaseBuffer } from './buffer-pool.ts';
import type { RowBatch, TextColumn } from './rows.ts';

type NumberColumn = Uint8Array | Uint32Array | Int32Array | Float64Array | BigInt64Array | BigUint64Array;
type Column = NumberColumn | TextColumn;
type AnyColumns = Readonly<Record<string, Column>>;

/** Every typed array may begin there. */
const ALIGNMENT = 8;

/** A batch whose columns all lie in one buffer, which is as large as they are. */
export interface PackedBatch {
  readonly batch: RowBatch;
  readonly buffer: ArrayBuffer;
}

/**
 * Moves a batch into one buffer of its own size, to be transferred as one; the buffers that it was built in, which may be
 * many times as large, are used again in this thread.
 */
export function packBatch(batch: RowBatch): PackedBatch {
  const tables = Object.entries(batch.tables).map(
    ([name, { count, columns }]) => [name, count, columns as unknown as AnyColumns] as const,
  );
  const views = tables.flatMap(([, , columns]) => Object.values(columns).flatMap(viewsOf));
  const buffer = new ArrayBuffer(views.reduce((sum, { byteLength }) => sum + aligned(byteLength), 0));
  let at = 0;
  const move = (view: NumberColumn): NumberColumn => {
    new Uint8Array(buffer, at, view.byteLength).set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    const kind = view.constructor as new (buffer: ArrayBuffer, offset: number, length: number) => NumberColumn;
    const moved = new kind(buffer, at, view.length);
    at += aligned(view.byteLength);
    return moved;
  };
  const moveColumn = (column: Column): Column =>
    ArrayBuffer.isView(column)
      ? move(column)
      : { bytes: move(column.bytes) as Uint8Array, offsets: move(column.offsets) as Uint32Array };
  const moved = tables.map(([name, count, columns]) => [
    name,
    { count, columns: Object.fromEntries(Object.entries(columns).map(([key, column]) => [key, moveColumn(column)])) },
  ]);
  for (const used of new Set(buffersOf(batch))) releaseBuffer(used);
  return { batch: { ...batch, tables: Object.fromEntries(moved) }, buffer };
}

const viewsOf = (column: Column): readonly NumberColumn[] =>
  ArrayBuffer.isView(column) ? [column] : [column.bytes, column.offsets];

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
