export { countsOf, type Reading, type Row, reasonsOf } from './read-source.ts';

import { openBytes } from '../../src/main/sources/bytes/decompress.ts';
import { otlpJson } from '../../src/main/sources/otlp-json/index.ts';
import { otlpProtobuf } from '../../src/main/sources/otlp-protobuf/index.ts';
import { DETECT_BYTES, FileHead, type Source } from '../../src/model/storage/source.ts';
import { type Reading, readSource } from './read-source.ts';
import { chunksOf } from './source-input.ts';

/** As {@link readSource}, for one file. */
export const readRows = (source: Source, bytes: Uint8Array, chunk?: number, name = 'hidden'): Promise<Reading> =>
  readSource(source, bytes, { name, ...(chunk ? { piece: chunk } : {}) });

/** The first decompressed bytes, as the host hands them to `detect`. */
export async function headOf(bytes: Uint8Array): Promise<FileHead> {
  const seen: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of openBytes(chunksOf(bytes))) {
    seen.push(chunk);
    length += chunk.length;
    if (length >= DETECT_BYTES) break;
  }
  return new FileHead(Buffer.concat(seen).subarray(0, DETECT_BYTES));
}

/** The OTLP source that claims the bytes; never both. */
export async function detected(bytes: Uint8Array): Promise<Source | undefined> {
  const head = await headOf(bytes);
  const claims = [otlpJson, otlpProtobuf].filter((source) => source.detect(head));
  if (claims.length > 1) throw new Error('two sources claim the same bytes');
  return claims[0];
}

export async function readDetected(bytes: Uint8Array, chunk?: number): Promise<Reading> {
  const source = await detected(bytes);
  if (!source) throw new Error('no OTLP source claims these bytes');
  return readRows(source, bytes, chunk);
}

export const readJson = (value: unknown): Promise<Reading> =>
  readRows(otlpJson, Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));

/** Repeatable pseudo-random numbers in [0, 1): mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
