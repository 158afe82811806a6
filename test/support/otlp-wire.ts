/** Protobuf messages for tests, written out field by field. */
type Field = readonly [
  field: number,
  value: bigint | number | string | Uint8Array | readonly Field[],
  as?: 'varint' | 'fixed64' | 'fixed32' | 'double' | 'zigzag',
];

export type { Field };

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

const key = (field: number, wireType: number): Uint8Array => varint(BigInt(field * 8 + wireType));

function encodeField([field, value, as]: Field): Uint8Array {
  if (Array.isArray(value)) return delimited(field, message(value as readonly Field[]));
  if (typeof value === 'string') return delimited(field, Buffer.from(value));
  if (value instanceof Uint8Array) return delimited(field, value);
  const number = value as bigint | number;
  const fixed = Buffer.alloc(8);
  switch (as) {
    case 'fixed64':
      fixed.writeBigUInt64LE(BigInt.asUintN(64, BigInt(number)));
      return Buffer.concat([key(field, 1), fixed]);
    case 'double':
      fixed.writeDoubleLE(Number(number));
      return Buffer.concat([key(field, 1), fixed]);
    case 'fixed32':
      fixed.writeUInt32LE(Number(number));
      return Buffer.concat([key(field, 5), fixed.subarray(0, 4)]);
    case 'zigzag':
      return Buffer.concat([
        key(field, 0),
        varint(BigInt(number) < 0n ? -2n * BigInt(number) - 1n : 2n * BigInt(number)),
      ]);
    default:
      return Buffer.concat([key(field, 0), varint(BigInt(number))]);
  }
}

const delimited = (field: number, content: Uint8Array): Uint8Array =>
  Buffer.concat([key(field, 2), varint(BigInt(content.length)), content]);

/** A message of these fields, in this order. */
export const message = (fields: readonly Field[]): Buffer => Buffer.concat(fields.map(encodeField));

/** Values one after the other, as packed repeated fields have them. */
export const packed = (values: readonly (bigint | number)[], as: 'fixed64' | 'double' | 'varint'): Uint8Array =>
  Buffer.concat(
    values.map((value) => {
      const whole = encodeField([1, value, as]);
      return whole.subarray(1);
    }),
  );

/** A string attribute. */
export const attribute = (name: string, value: string): readonly Field[] => [
  [1, name],
  [2, [[1, value]]],
];

/** A request with one resource and one scope around records. */
export const request = (records: readonly (readonly Field[] | Uint8Array)[], resource: readonly Field[] = []): Buffer =>
  message([
    [
      1,
      [
        [1, resource],
        [2, [[1, [[1, 'scope']]], ...records.map((record): Field => [2, record])]],
      ],
    ],
  ]);

export const fixed32Framed = (messages: readonly Uint8Array[]): Buffer =>
  Buffer.concat(
    messages.flatMap((bytes) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );

export const varintFramed = (messages: readonly Uint8Array[]): Buffer =>
  Buffer.concat(messages.flatMap((bytes) => [varint(BigInt(bytes.length)), bytes]));
