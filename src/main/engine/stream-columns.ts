import type { DuckDBConnection } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { unreachable } from '../../base/assert.ts';
import { releaseBuffer, takeBuffer } from '../../model/rows/buffer-pool.ts';
import type { TextColumn } from '../../model/rows/rows.ts';
import type { ColumnShape, ReadColumns } from '../../model/storage/engine.ts';

/** Of a `duckdb_string_t`: a length; up to 12 bytes follow in place, else 4 of them and a pointer to all. */
const STRING_BYTES = 16;
const MOST_IN_PLACE = 12;

/** An answer chunk by chunk, the next one being made meanwhile; what a piece holds is valid until the next is asked for. */
export async function* streamColumns(
  connection: DuckDBConnection,
  sql: string,
  shape: Readonly<Record<string, ColumnShape>>,
): AsyncGenerator<ReadColumns> {
  const result = await connection.stream(sql).catch(unlessMemory);
  if (!result) return;
  const columns = Object.entries(shape).map(([name, kind]) => [name, kind, new TextReader()] as const);
  // Mostly a failure looks like the end; where it does not, it is one all the same.
  const fetch = () => result.fetchChunk().catch(() => null);
  let coming = fetch();
  try {
    for (let chunk = await coming; chunk && chunk.rowCount > 0; chunk = await coming) {
      coming = fetch();
      const read: Record<string, ReadColumns['columns'][string]> = {};
      for (const [i, [name, kind, texts]] of columns.entries()) {
        const vector = duckdb.data_chunk_get_vector(chunk.chunk, i);
        read[name] = kind === 'text' ? texts.read(vector, chunk.rowCount) : numbers(vector, kind, chunk.rowCount);
      }
      yield { count: chunk.rowCount, columns: read };
      // Its texts are freed now, not when the garbage collector finds out: it knows nothing of their size.
      chunk.reset();
    }
  } finally {
    await coming;
    for (const [, , texts] of columns) texts.close();
  }
}

function unlessMemory(error: unknown): undefined {
  if (!/out of memory/i.test(String(error))) throw error;
}

function numbers(vector: duckdb.Vector, kind: Exclude<ColumnShape, 'text'>, count: number) {
  // A copy already, of its own.
  const raw = (width: number): [ArrayBuffer, number, number] => {
    const { buffer, byteOffset } = duckdb.vector_get_data(vector, count * width);
    return [buffer as ArrayBuffer, byteOffset, count];
  };
  switch (kind) {
    case 'u8':
      return new Uint8Array(...raw(1));
    case 'u32':
      return new Uint32Array(...raw(4));
    case 'i32':
      return new Int32Array(...raw(4));
    case 'i64':
      return new BigInt64Array(...raw(8));
    case 'u64':
      return new BigUint64Array(...raw(8));
    case 'f64':
      return new Float64Array(...raw(8));
    default:
      return unreachable(kind);
  }
}

/**
 * Texts of one column, vector after vector, into the same memory. Asking for each costs half a microsecond and more; those
 * that lie one behind the other, as those of a streamed answer do, are asked for together.
 */
class TextReader {
  private bytes = new Uint8Array(takeBuffer(1));
  private offsets = new Uint32Array(takeBuffer(1));

  read(vector: duckdb.Vector, count: number): TextColumn {
    const raw = duckdb.vector_get_data(vector, count * STRING_BYTES);
    const words = new Uint32Array(raw.buffer, raw.byteOffset, count * 4);
    this.measure(words, nullsOf(vector, count), count);
    const { bytes, offsets } = this;
    for (let row = 0; row < count; ) {
      const start = offsets[row]!;
      const length = offsets[row + 1]! - start;
      if (length > MOST_IN_PLACE) row = this.copyRun(raw, words, row, count);
      else {
        const place = row * STRING_BYTES + 4;
        for (let i = 0; i < length; i++) bytes[start + i] = raw[place + i]!;
        row++;
      }
    }
    return { bytes, offsets: offsets.subarray(0, count + 1) };
  }

  close(): void {
    releaseBuffer(this.bytes.buffer);
    releaseBuffer(this.offsets.buffer);
  }

  /** Where each text will lie. */
  private measure(words: Uint32Array, isNull: (row: number) => boolean, count: number): void {
    if (this.offsets.length <= count) {
      releaseBuffer(this.offsets.buffer);
      this.offsets = new Uint32Array(takeBuffer((count + 1) * 4));
    }
    const { offsets } = this;
    let end = 0;
    offsets[0] = 0;
    for (let row = 0; row < count; row++) {
      if (!isNull(row)) end += words[row * 4]!;
      offsets[row + 1] = end;
    }
    if (this.bytes.length >= end) return;
    releaseBuffer(this.bytes.buffer);
    this.bytes = new Uint8Array(takeBuffer(end));
  }

  /** Copies the long text of a row and those that follow it in memory. @returns the first row that does not */
  private copyRun(raw: Uint8Array, words: Uint32Array, first: number, count: number): number {
    const { bytes, offsets } = this;
    const start = offsets[first]!;
    const address = addressOf(words, first);
    let row = first + 1;
    for (; row < count; row++) {
      const before = offsets[row]! - start;
      const length = offsets[row + 1]! - offsets[row]!;
      if (length > 0 && (length <= MOST_IN_PLACE || addressOf(words, row) !== address + before)) break;
    }
    const place = raw.byteOffset + first * STRING_BYTES + 8;
    const end = offsets[row]!;
    bytes.set(duckdb.get_data_from_pointer(raw.buffer as ArrayBuffer, place, end - start), start);
    return row;
  }
}

/** Of a text that is not in place; addresses have fewer bits than a double holds exactly. */
const addressOf = (words: Uint32Array, row: number): number => words[row * 4 + 3]! * 2 ** 32 + words[row * 4 + 2]!;

/** Whether a row of a vector holds nothing. */
export function nullsOf(vector: duckdb.Vector, count: number): (row: number) => boolean {
  const valid: Uint8Array | null = duckdb.vector_get_validity(vector, Math.ceil(count / 64) * 8);
  return valid ? (row) => ((valid[row >> 3]! >> (row & 7)) & 1) === 0 : () => false;
}
