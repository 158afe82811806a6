import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  INTEGER,
  UBIGINT,
  UINTEGER,
  UTINYINT,
  VARCHAR,
} from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { unreachable } from '../../base/assert.ts';
import type { AppendColumn } from '../../model/engine.ts';
import type { TextColumn } from '../../model/rows.ts';

/** Rows per DuckDB vector; a chunk never holds more. */
export const CHUNK_ROWS = duckdb.vector_size();

export const typeOf = (type: AppendColumn['type']): DuckDBType => {
  switch (type) {
    case 'u8':
      return UTINYINT;
    case 'u32':
      return UINTEGER;
    case 'code':
    case 'i32':
    case 'constant':
      return INTEGER;
    case 'i64':
      return BIGINT;
    case 'u64':
      return UBIGINT;
    case 'f64':
      return DOUBLE;
    case 'text':
      return VARCHAR;
    default:
      return unreachable(type);
  }
};

/**
 * Copies columns into a table chunk by chunk: numbers by memcpy, text by handing DuckDB the UTF-8 ranges.
 * Done on this thread: for a few rows. Many go through {@link insertRows}.
 */
export async function appendColumns(
  connection: DuckDBConnection,
  table: string,
  columns: readonly AppendColumn[],
  count: number,
): Promise<void> {
  if (count === 0) return;
  const appender = await connection.createAppender(table);
  const types = columns.map(({ type }) => typeOf(type));
  for (let from = 0; from < count; from += CHUNK_ROWS) {
    const rows = Math.min(CHUNK_ROWS, count - from);
    const chunk = DuckDBDataChunk.create(types, rows);
    fillChunk(chunk, columns, from, rows);
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

/** Copies rows `from .. from + rows` into a chunk of as many rows. */
export function fillChunk(
  { chunk }: DuckDBDataChunk,
  columns: readonly AppendColumn[],
  from: number,
  rows: number,
): void {
  for (const [index, column] of columns.entries()) fill(duckdb.data_chunk_get_vector(chunk, index), column, from, rows);
}

function fill(vector: duckdb.Vector, column: AppendColumn, from: number, rows: number): void {
  if (column.type === 'text') fillText(vector, column.values, from, rows);
  else if (column.type === 'constant') copy(vector, new Int32Array(rows).fill(column.value), 0, rows);
  else copy(vector, column.values, from, rows);
  if (column.type === 'code') nullWhere(vector, rows, (row) => column.values[from + row] === -1);
  if (column.type === 'f64') nullWhere(vector, rows, (row) => Number.isNaN(column.values[from + row]));
}

type Numbers = Uint8Array | Uint32Array | Int32Array | BigInt64Array | BigUint64Array | Float64Array;
function copy(vector: duckdb.Vector, values: Numbers, from: number, rows: number): void {
  const width = values.BYTES_PER_ELEMENT;
  duckdb.copy_data_to_vector(vector, 0, values.buffer as ArrayBuffer, values.byteOffset + from * width, rows * width);
}

function fillText(vector: duckdb.Vector, text: TextColumn, from: number, rows: number): void {
  const { bytes, offsets } = text;
  for (let row = 0; row < rows; row++) {
    const start = offsets[from + row] as number;
    const end = offsets[from + row + 1] as number;
    if (end > start) duckdb.vector_assign_string_element_len(vector, row, bytes.subarray(start, end));
  }
  nullWhere(vector, rows, (row) => offsets[from + row] === offsets[from + row + 1]);
}

/** Marks rows NULL through a validity bitmap (bit 1: valid); touches nothing when no row is. */
function nullWhere(vector: duckdb.Vector, rows: number, isNull: (row: number) => boolean): void {
  let validity: Uint8Array | undefined;
  for (let row = 0; row < rows; row++) {
    if (!isNull(row)) continue;
    validity ??= new Uint8Array(Math.ceil(rows / 64) * 8).fill(0xff);
    const byte = row >> 3;
    validity[byte] = (validity[byte] as number) & ~(1 << (row & 7));
  }
  if (!validity) return;
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, validity.buffer as ArrayBuffer, 0, validity.byteLength);
}
