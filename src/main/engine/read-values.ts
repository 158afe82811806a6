import {
  type DuckDBDataChunk,
  DuckDBListType,
  type DuckDBResult,
  type DuckDBType,
  DuckDBTypeId,
  JSDuckDBValueConverter,
} from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { nullsOf } from './stream-columns.ts';

type Numbers = ArrayLike<number | bigint>;

/** Bytes of a number, and how many of them are read from memory. */
type NumberKind = readonly [width: number, of: (from: ArrayBuffer, at: number, count: number) => Numbers];

const numbers: Partial<Record<DuckDBTypeId, NumberKind>> = {
  [DuckDBTypeId.UTINYINT]: [1, (...place) => new Uint8Array(...place)],
  [DuckDBTypeId.USMALLINT]: [2, (...place) => new Uint16Array(...place)],
  [DuckDBTypeId.UINTEGER]: [4, (...place) => new Uint32Array(...place)],
  [DuckDBTypeId.UBIGINT]: [8, (...place) => new BigUint64Array(...place)],
  [DuckDBTypeId.TINYINT]: [1, (...place) => new Int8Array(...place)],
  [DuckDBTypeId.SMALLINT]: [2, (...place) => new Int16Array(...place)],
  [DuckDBTypeId.INTEGER]: [4, (...place) => new Int32Array(...place)],
  [DuckDBTypeId.BIGINT]: [8, (...place) => new BigInt64Array(...place)],
  [DuckDBTypeId.FLOAT]: [4, (...place) => new Float32Array(...place)],
  [DuckDBTypeId.DOUBLE]: [8, (...place) => new Float64Array(...place)],
};

/**
 * All rows of an answer, as the library's own converter for JavaScript gives them. Numbers and lists of numbers, which are most
 * of what views ask for, are read a chunk at a time.
 */
export async function readValues(result: DuckDBResult): Promise<{ columns: unknown[][]; count: number }> {
  const types = result.columnTypes();
  const columns = types.map((): unknown[] => []);
  let count = 0;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    for (const [at, column] of columns.entries()) addColumn(column, chunk, at, types[at]!);
    count += chunk.rowCount;
  }
  return { columns, count };
}

function addColumn(column: unknown[], chunk: DuckDBDataChunk, at: number, type: DuckDBType): void {
  const isList = type instanceof DuckDBListType;
  const kind = numbers[isList ? type.valueType.typeId : type.typeId];
  if (!kind) {
    for (const value of chunk.convertColumnValues(at, JSDuckDBValueConverter)) column.push(value);
    return;
  }
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, at);
  if (isList) addLists(column, vector, chunk.rowCount, kind);
  else addNumbers(column, vector, chunk.rowCount, kind);
}

function addNumbers(column: unknown[], vector: duckdb.Vector, count: number, [width, of]: NumberKind): void {
  const { buffer, byteOffset } = duckdb.vector_get_data(vector, count * width);
  const values = of(buffer as ArrayBuffer, byteOffset, count);
  const isNull = nullsOf(vector, count);
  for (let row = 0; row < count; row++) column.push(isNull(row) ? null : values[row]);
}

/** Of a `duckdb_list_entry`: the place of its first element, and how many there are. */
const ENTRY = 2;

function addLists(column: unknown[], vector: duckdb.Vector, count: number, kind: NumberKind): void {
  const { buffer, byteOffset } = duckdb.vector_get_data(vector, count * ENTRY * BigUint64Array.BYTES_PER_ELEMENT);
  const entries = new BigUint64Array(buffer as ArrayBuffer, byteOffset, count * ENTRY);
  const isNull = nullsOf(vector, count);
  const elements: unknown[] = [];
  addNumbers(elements, duckdb.list_vector_get_child(vector), duckdb.list_vector_get_size(vector), kind);
  for (let row = 0; row < count; row++) {
    const [first, length] = [Number(entries[ENTRY * row]), Number(entries[ENTRY * row + 1])];
    column.push(isNull(row) ? null : elements.slice(first, first + length));
  }
}
