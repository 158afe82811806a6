/** A snappy block, decompressed as far as possible. */
export interface SnappyBlock {
  readonly bytes: Uint8Array;
  /** Why not all of it is there; '' when it is. */
  readonly problem: string;
}

/** A copy of three bytes gives 64: no block expands more, so a length that claims more is false. */
const MOST_EXPANSION = 22;

const ENDS = 'the compressed data end too early';

/**
 * Decompresses the block format of snappy (github.com/google/snappy/blob/main/format_description.txt). A block that is cut
 * or broken gives what precedes the damage.
 * @param most bytes that it may expand to
 */
export function readSnappyBlock(block: Uint8Array, most: number): SnappyBlock {
  const header = lengthOf(block);
  if (!header) return { bytes: new Uint8Array(0), problem: 'no length of a snappy block' };
  const { length, start } = header;
  if (length > most) return { bytes: new Uint8Array(0), problem: `it expands beyond ${most} bytes` };
  const bytes = new Uint8Array(Math.min(length, block.length * MOST_EXPANSION));
  const { written, problem } = expand(block, start, bytes);
  if (problem !== '' || written < length) return { bytes: bytes.subarray(0, written), problem: problem || ENDS };
  return { bytes, problem: '' };
}

function lengthOf(block: Uint8Array): { readonly length: number; readonly start: number } | undefined {
  let length = 0;
  for (let i = 0; i < 5; i++) {
    const byte = block[i];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return length < 2 ** 32 ? { length, start: i + 1 } : undefined;
  }
  return undefined;
}

/** Little-endian number of `size` bytes; NaN behind the end, which fails every comparison below. */
function numberAt(block: Uint8Array, at: number, size: number): number {
  let value = 0;
  for (let i = 0; i < size; i++) value += (block[at + i] ?? Number.NaN) * 256 ** i;
  return value;
}

/** Literals and copies of earlier output, one after the other. */
function expand(block: Uint8Array, start: number, out: Uint8Array): { written: number; problem: string } {
  let at = start;
  let written = 0;
  while (at < block.length) {
    const tag = block[at++]!;
    const kind = tag & 3;
    const upper = tag >> 2;
    if (kind === 0) {
      const extra = Math.max(0, upper - 59);
      const length = (extra > 0 ? numberAt(block, at, extra) : upper) + 1;
      at += extra;
      if (Number.isNaN(length)) return { written, problem: ENDS };
      const there = block.subarray(at, at + length);
      if (written + there.length > out.length) return { written, problem: 'it holds more than its length' };
      out.set(there, written);
      at += length;
      written += there.length;
      if (there.length < length) return { written, problem: ENDS };
      continue;
    }
    const length = kind === 1 ? 4 + (upper & 7) : upper + 1;
    const size = kind === 3 ? 4 : kind;
    const offset = numberAt(block, at, size) + (kind === 1 ? (tag >> 5) * 256 : 0);
    at += size;
    if (Number.isNaN(offset)) return { written, problem: ENDS };
    if (offset === 0 || offset > written) return { written, problem: 'it copies from before its start' };
    if (written + length > out.length) return { written, problem: 'it holds more than its length' };
    // Byte by byte: a copy may overlap itself.
    for (const end = written + length; written < end; written++) out[written] = out[written - offset]!;
  }
  return { written, problem: '' };
}
