import {
  type DataType,
  type RecordBatch,
  RecordBatchReader,
  type Struct,
  Type as T,
  type Type,
  type Vector,
} from 'apache-arrow';

/** Batches of an answer in the IPC form of streams, and the names and types of its columns. */
export interface Answer {
  readonly batches: readonly RecordBatch[];
  readonly fields: readonly { readonly name: string; readonly type: DataType }[];
}

export function readAnswer(pieces: readonly Uint8Array[]): Answer {
  const reader = RecordBatchReader.from(pieces);
  reader.open();
  // The reader forgets it once it is through.
  const { schema } = reader;
  const batches = [...(reader as Iterable<RecordBatch>)];
  return { batches, fields: schema.fields.map(({ name, type }) => ({ name, type })) };
}

export const rowsIn = ({ batches }: Answer): number => batches.reduce((sum, { numRows }) => sum + numRows, 0);

/** One column as JavaScript values: 64-bit and wider integers as bigint, NULL as null. */
export function valuesOf({ batches, fields }: Answer, column: number): unknown[] {
  const values: unknown[] = [];
  const convert = converterOf((fields[column] as { type: DataType }).type);
  for (const batch of batches) {
    const vector = batch.getChildAt(column);
    for (let row = 0; row < batch.numRows; row++) {
      const value: unknown = vector?.get(row) ?? null;
      values.push(value === null ? null : convert(value));
    }
  }
  return values;
}

function converterOf(type: DataType): (value: unknown) => unknown {
  switch (type.typeId as Type) {
    case T.Decimal: {
      const { scale, bitWidth } = type as unknown as { scale: number; bitWidth: number };
      const whole = (value: unknown): bigint => wholeNumber(value as Uint32Array, bitWidth);
      // What DuckDB sums up is a HUGEINT, which Arrow has no other word for.
      return scale === 0 ? whole : (value) => Number(whole(value)) / 10 ** scale;
    }
    case T.Timestamp:
    case T.Date:
      return (value) => new Date(value as number);
    case T.List:
    case T.FixedSizeList: {
      const item = type.children?.[0] as { readonly type: DataType };
      const inner = converterOf(item.type);
      return (value) => Array.from(value as Vector, (one: unknown) => (one === null ? null : inner(one)));
    }
    case T.Struct:
      return (value) => structValue(value, type as Struct);
    case T.Map: {
      const entry = type.children?.[0] as { readonly type: Struct };
      const [key, inner] = entry.type.children.map((one) => converterOf(one.type));
      return (value) =>
        [...(value as Iterable<[unknown, unknown]>)].map(([name, one]) => ({
          key: key?.(name),
          value: one === null ? null : inner?.(one),
        }));
    }
    default:
      return (value) => value;
  }
}

function structValue(value: unknown, type: Struct): unknown {
  const row = value as { readonly [name: string]: unknown };
  return Object.fromEntries(
    type.children.map(({ name, type: inner }) => [name, row[name] == null ? null : converterOf(inner)(row[name])]),
  );
}

/** Little-endian words, two's complement. */
function wholeNumber(words: Uint32Array, bits: number): bigint {
  let value = 0n;
  for (let i = words.length - 1; i >= 0; i--) value = (value << 32n) | BigInt(words[i]!);
  return BigInt.asIntN(bits, value);
}
