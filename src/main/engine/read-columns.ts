import type { DuckDBConnection } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { assert, unreachable } from '../../base/assert.ts';
import type { ColumnShape, ReadColumns } from '../../model/engine.ts';
import type { TextColumn } from '../../model/rows.ts';

const STRING_BYTES = 16;
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * A whole answer as raw columns. All rows become one list of structs, whose members lie in memory one after another;
 * texts are joined by the database, because fetching them one by one costs 4 us each (all joined: 1 us per row).
 */
export async function readColumns(
  connection: DuckDBConnection,
  sql: string,
  shape: Readonly<Record<string, ColumnShape>>,
): Promise<ReadColumns> {
  const names = Object.keys(shape);
  const texts = names.filter((name) => shape[name] === 'text');
  const joined = texts.map((name) => `, array_to_string(list_transform(l, lambda x: x.${quoted(name)}), '')`).join('');
  const result = await connection.run(
    `select l${joined} from (select list(r) as l from (select ${names.map(quoted).join(', ')} from (${sql})) r)`,
  );
  const chunk = await result.fetchChunk();
  assert(chunk, 'an aggregate without a row');
  const vector = (column: number) => duckdb.data_chunk_get_vector(chunk.chunk, column);
  const count = duckdb.list_vector_get_size(vector(0));
  // Of no rows the list and its joined texts are NULL: memory that must not be looked at.
  if (count === 0) return { count, columns: {} };
  const rows = duckdb.list_vector_get_child(vector(0));
  const columns = names.map((name, i) => {
    const member = duckdb.struct_vector_get_child(rows, i);
    const kind = shape[name] as ColumnShape;
    if (kind !== 'text') return [name, numbers(member, kind, count)] as const;
    const bytes = stringOf(vector(1 + texts.indexOf(name)));
    const offsets = offsetsOf(member, count);
    assert(offsets[count] === bytes.length, `${name}: ${bytes.length} bytes of texts that are ${offsets[count]} long`);
    return [name, { bytes, offsets } satisfies TextColumn] as const;
  });
  return { count, columns: Object.fromEntries(columns) };
}

function numbers(vector: duckdb.Vector, kind: Exclude<ColumnShape, 'text'>, count: number) {
  const raw = (width: number): ArrayBuffer => new Uint8Array(duckdb.vector_get_data(vector, count * width)).buffer;
  switch (kind) {
    case 'u8':
      return new Uint8Array(raw(1));
    case 'u32':
      return new Uint32Array(raw(4));
    case 'i32':
      return new Int32Array(raw(4));
    case 'i64':
      return new BigInt64Array(raw(8));
    case 'u64':
      return new BigUint64Array(raw(8));
    case 'f64':
      return new Float64Array(raw(8));
    default:
      return unreachable(kind);
  }
}

/** A `duckdb_string_t` begins with its length; up to 12 bytes follow in place, else 4 of them and a pointer. */
function offsetsOf(vector: duckdb.Vector, count: number): Uint32Array {
  const offsets = new Uint32Array(count + 1);
  const raw = duckdb.vector_get_data(vector, count * STRING_BYTES);
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  for (let i = 0; i < count; i++) offsets[i + 1] = (offsets[i] as number) + view.getUint32(i * STRING_BYTES, true);
  return offsets;
}

/** The one string of a vector. */
function stringOf(vector: duckdb.Vector): Uint8Array {
  const raw = duckdb.vector_get_data(vector, STRING_BYTES);
  const length = new DataView(raw.buffer, raw.byteOffset).getUint32(0, true);
  if (length <= 12) return raw.slice(4, 4 + length);
  return duckdb.get_data_from_pointer(raw.buffer as ArrayBuffer, raw.byteOffset + 8, length).slice();
}
