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
import type { TextColumn } from '../../model/rows/rows.ts';
import type { AppendColumn } from '../../model/storage/engine.ts';

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

/** Of a `duckdb_string_t`: a length, then up to 12 bytes in place, else 4 of them and the address of all. */
const STRING_WORDS = 4;
const MOST_IN_PLACE = 12;

/** One chunk's strings as DuckDB keeps them; each is filled and copied at once. */
const strings = new Uint32Array(CHUNK_ROWS * STRING_WORDS);
const stringBytes = new Uint8Array(strings.buffer);

/**
 * Hands over all texts of a chunk as one string, which the vector then owns, and writes into the rows where in it theirs
 * lie: a call for each of them costs 0.5 us, a tenth of an import's processor time.
 */
function fillText(vector: duckdb.Vector, text: TextColumn, from: number, rows: number): void {
  const { bytes, offsets } = text;
  const start = offsets[from]!;
  const end = offsets[from + rows]!;
  const address = owned(vector, bytes.subarray(start, end));
  if (!address) return fillText(vector, wellFormed(text, from, rows), 0, rows);
  strings.fill(0, 0, rows * STRING_WORDS);
  for (let row = 0; row < rows; row++) {
    const at = offsets[from + row]!;
    const length = offsets[from + row + 1]! - at;
    const word = row * STRING_WORDS;
    strings[word] = length;
    const inPlace = length > MOST_IN_PLACE ? 4 : length;
    for (let i = 0; i < inPlace; i++) stringBytes[word * 4 + 4 + i] = bytes[at + i]!;
    if (length <= MOST_IN_PLACE) continue;
    const low = address.low + (at - start);
    strings[word + 2] = low;
    strings[word + 3] = address.high + (low > 0xffffffff ? 1 : 0);
  }
  duckdb.copy_data_to_vector(vector, 0, strings.buffer, 0, rows * STRING_WORDS * 4);
  nullWhere(vector, rows, (row) => offsets[from + row] === offsets[from + row + 1]);
}

const nothing = new ArrayBuffer(STRING_WORDS * 4);

/**
 * Gives bytes to a vector, whose first string they become.
 * @returns halves of their address, of no meaning for texts that need none; undefined: they are not UTF-8, which the
 * engine takes for NULL without a word
 */
function owned(vector: duckdb.Vector, bytes: Uint8Array): { readonly low: number; readonly high: number } | undefined {
  if (bytes.length === 0) return { low: 0, high: 0 };
  duckdb.copy_data_to_vector(vector, 0, nothing, 0, nothing.byteLength);
  duckdb.vector_assign_string_element_len(vector, 0, bytes);
  const string = duckdb.vector_get_data(vector, nothing.byteLength);
  const view = new DataView(string.buffer, string.byteOffset);
  if (view.getUint32(0, true) !== bytes.length) {
    setValidity(vector, new Uint8Array(8).fill(0xff));
    return undefined;
  }
  return { low: view.getUint32(8, true), high: view.getUint32(12, true) };
}

/** These texts with U+FFFD for what is no UTF-8. */
function wellFormed({ bytes, offsets }: TextColumn, from: number, rows: number): TextColumn {
  const texts = Array.from({ length: rows }, (_, row) =>
    Buffer.from(
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(
        bytes.subarray(offsets[from + row], offsets[from + row + 1]),
      ),
    ),
  );
  const ends = new Uint32Array(rows + 1);
  for (const [row, text] of texts.entries()) ends[row + 1] = ends[row]! + text.length;
  return { bytes: Buffer.concat(texts), offsets: ends };
}

/** Marks rows NULL through a validity bitmap (bit 1: valid); touches nothing when no row is. */
function nullWhere(vector: duckdb.Vector, rows: number, isNull: (row: number) => boolean): void {
  let validity: Uint8Array<ArrayBuffer> | undefined;
  for (let row = 0; row < rows; row++) {
    if (!isNull(row)) continue;
    validity ??= new Uint8Array(Math.ceil(rows / 64) * 8).fill(0xff);
    const byte = row >> 3;
    validity[byte] = validity[byte]! & ~(1 << (row & 7));
  }
  if (validity) setValidity(vector, validity);
}

function setValidity(vector: duckdb.Vector, validity: Uint8Array<ArrayBuffer>): void {
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, validity.buffer, 0, validity.byteLength);
}
