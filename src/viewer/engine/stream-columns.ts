import type { Data, RecordBatch } from 'apache-arrow';
import { RecordBatchReader } from 'apache-arrow';
import type { TextColumn } from '../../model/rows/rows.ts';
import type { ColumnShape, ReadColumns } from '../../model/storage/engine.ts';

/** An answer batch by batch as raw columns; NULL is an empty text, or any number. */
export async function* readColumns(
  pieces: AsyncIterable<Uint8Array>,
  shape: Readonly<Record<string, ColumnShape>>,
): AsyncGenerator<ReadColumns> {
  const reader = await RecordBatchReader.from(pieces);
  await reader.open();
  for await (const batch of reader as AsyncIterable<RecordBatch>) {
    if (batch.numRows === 0) continue;
    const columns: Record<string, ReadColumns['columns'][string]> = {};
    for (const [i, [name, kind]] of Object.entries(shape).entries()) {
      const data = batch.data.children[i]!;
      columns[name] = kind === 'text' ? textOf(data) : numbersOf(data, kind);
    }
    yield { count: batch.numRows, columns };
  }
}

const views = {
  u8: Uint8Array,
  u32: Uint32Array,
  i32: Int32Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
  f64: Float64Array,
} as const;

function numbersOf(data: Data, kind: Exclude<ColumnShape, 'text'>) {
  const values = data.values.subarray(0, data.length) as InstanceType<(typeof views)[typeof kind]>;
  if (values.constructor === views[kind]) return values;
  throw new Error(`bug: a column of ${data.type} is read as ${kind}`);
}

function textOf({ values, valueOffsets, length }: Data): TextColumn {
  const offsets = new Uint32Array(length + 1);
  offsets.set((valueOffsets as Int32Array).subarray(0, length + 1));
  return { bytes: values as Uint8Array<ArrayBuffer>, offsets };
}
