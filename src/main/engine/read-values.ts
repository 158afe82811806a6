import { type DuckDBDataChunk, type DuckDBResult, DuckDBTypeId, JSDuckDBValueConverter } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { nullsOf } from './stream-columns.ts';

type Numbers = ArrayLike<number | bigint>;

/** Bytes of a number, and how many of them are read from memory. */
const numbers: Partial<
  Record<DuckDBTypeId, readonly [width: number, of: (from: ArrayBuffer, at: number, count: number) => Numbers]>
> = {
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
 * All rows of an answer, as the library's own converter for JavaScript gives them. Numbers, which are most of what views ask
 * for, are read a chunk at a time.
 */
export async function readValues(result: DuckDBResult): Promise<{ columns: unknown[][]; count: number }> {
  const types = result.columnTypes();
  const columns = types.map((): unknown[] => []);
  let count = 0;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    for (const [at, column] of columns.entries()) addColumn(column, chunk, at, types[at]?.typeId as DuckDBTypeId);
    count += chunk.rowCount;
  }
  return { columns, count };
}

function addColumn(column: unknown[], chunk: DuckDBDataChunk, at: number, type: DuckDBTypeId): void {
  const [width, of] = numbers[type] ?? [0];
  if (!of) {
    for (const value of chunk.convertColumnValues(at, JSDuckDBValueConverter)) column.push(value);
    return;
  }
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, at);
  const count = chunk.rowCount;
  const { buffer, byteOffset } = duckdb.vector_get_data(vector, count * width);
  const values = of(buffer as ArrayBuffer, byteOffset, count);
  const isNull = nullsOf(vector, count);
  for (let row = 0; row < count; row++) column.push(isNull(row) ? null : values[row]);
}
