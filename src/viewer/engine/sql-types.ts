import type { DataType } from 'apache-arrow';

const plain: Readonly<Record<string, string>> = {
  Bool: 'BOOLEAN',
  Int8: 'TINYINT',
  Int16: 'SMALLINT',
  Int32: 'INTEGER',
  Int64: 'BIGINT',
  Uint8: 'UTINYINT',
  Uint16: 'USMALLINT',
  Uint32: 'UINTEGER',
  Uint64: 'UBIGINT',
  Float32: 'FLOAT',
  Float64: 'DOUBLE',
  Utf8: 'VARCHAR',
  Binary: 'BLOB',
  'Date32<DAY>': 'DATE',
  'Timestamp<SECOND>': 'TIMESTAMP_S',
  'Timestamp<MILLISECOND>': 'TIMESTAMP_MS',
  'Timestamp<MICROSECOND>': 'TIMESTAMP',
  'Timestamp<NANOSECOND>': 'TIMESTAMP_NS',
  'Timestamp<MICROSECOND, UTC>': 'TIMESTAMP WITH TIME ZONE',
  'Time64<MICROSECOND>': 'TIME',
  // What is summed up is one, which Arrow has no other word for.
  'Decimal[38e0]': 'HUGEINT',
};

/** A type of an answer as SQL calls it; one that no question of ours answers with, as Arrow does. */
export const sqlType = (type: DataType): string => plain[String(type)] ?? String(type);
