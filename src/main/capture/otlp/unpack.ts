import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { readSnappyBlock } from '../../sources/bytes/snappy.ts';

/** Limit of a request, as sent and decompressed: protects against compression bombs. */
export const MOST_BYTES = 64 * 1024 * 1024;

const options = { maxOutputLength: MOST_BYTES };
/** Of OTLP. */
const unpackers: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes, options),
  deflate: (bytes) => inflateSync(bytes, options),
  br: (bytes) => brotliDecompressSync(bytes, options),
  zstd: (bytes) => zstdDecompressSync(bytes, options),
};

export const packings: readonly string[] = Object.keys(unpackers);
/** Whether a compression is supported (HTTP's Content-Encoding, gRPC's grpc-encoding). */
export const isPacking = (name: string): boolean => Object.hasOwn(unpackers, name);

/** null: invalid, or larger than {@link MOST_BYTES}. Synchronous: call it in a separate thread. */
export function unpack(bytes: Uint8Array, packing: string): Uint8Array | null {
  if (packing === 'snappy') {
    const { bytes: block, problem } = readSnappyBlock(bytes, MOST_BYTES);
    return problem === '' ? block : null;
  }
  try {
    return unpackers[packing]?.(bytes) ?? null;
  } catch {
    return null;
  }
}
