import {
  type DataType,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Uint8,
  Uint32,
  Uint64,
  Utf8,
} from 'apache-arrow';
import { unreachable } from '../../base/assert.ts';
import type { AppendColumn } from '../../model/storage/engine.ts';

/** Columns of a table, in its order, as an Arrow IPC stream; the values that mean NULL become NULL. */
export function arrowOf(columns: readonly AppendColumn[], rows: number): Uint8Array {
  const data = columns.map((column) => dataOf(column, rows));
  const fields = data.map(({ type }, i) => new Field(`c${i}`, type as DataType, true));
  const batch = new RecordBatch(
    new Schema(fields),
    makeData({ type: new Struct(fields), length: rows, nullCount: 0, children: data }),
  );
  const writer = new RecordBatchStreamWriter();
  writer.write(batch);
  writer.finish();
  return writer.toUint8Array(true);
}

function dataOf(column: AppendColumn, length: number) {
  switch (column.type) {
    case 'u8':
      return makeData({ type: new Uint8(), length, data: column.values.subarray(0, length) });
    case 'u32':
      return makeData({ type: new Uint32(), length, data: column.values.subarray(0, length) });
    case 'i32':
      return makeData({ type: new Int32(), length, data: column.values.subarray(0, length) });
    case 'constant':
      return makeData({ type: new Int32(), length, data: new Int32Array(length).fill(column.value) });
    case 'code':
      return makeData({
        type: new Int32(),
        length,
        data: column.values.subarray(0, length),
        ...nulls(length, (row) => column.values[row] === -1),
      });
    case 'i64':
      return makeData({ type: new Int64(), length, data: column.values.subarray(0, length) });
    case 'u64':
      return makeData({ type: new Uint64(), length, data: column.values.subarray(0, length) });
    case 'f64':
      return makeData({
        type: new Float64(),
        length,
        data: column.values.subarray(0, length),
        ...nulls(length, (row) => Number.isNaN(column.values[row])),
      });
    case 'text': {
      const { bytes, offsets } = column.values;
      return makeData({
        type: new Utf8(),
        length,
        data: bytes,
        valueOffsets: Int32Array.from(offsets.subarray(0, length + 1)),
        ...nulls(length, (row) => offsets[row] === offsets[row + 1]),
      });
    }
    default:
      return unreachable(column);
  }
}

/** A bitmap in which rows that are not NULL have a 1. */
function nulls(rows: number, isNull: (row: number) => boolean) {
  const nullBitmap = new Uint8Array(Math.ceil(rows / 64) * 8);
  let nullCount = 0;
  for (let row = 0; row < rows; row++)
    if (isNull(row)) nullCount++;
    else nullBitmap[row >> 3] = nullBitmap[row >> 3]! | (1 << (row & 7));
  return { nullBitmap, nullCount };
}
