import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

/** Of a request, as sent and unpacked: a bomb of a few bytes must not become a machine's memory. */
export const MOST_BYTES = 64 * 1024 * 1024;

const options = { maxOutputLength: MOST_BYTES };
const unpackers: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes, options),
  deflate: (bytes) => inflateSync(bytes, options),
  br: (bytes) => brotliDecompressSync(bytes, options),
  zstd: (bytes) => zstdDecompressSync(bytes, options),
};

export const packings: readonly string[] = Object.keys(unpackers);
/** Whether a request may be packed so (HTTP's Content-Encoding, gRPC's grpc-encoding). */
export const isPacking = (name: string): boolean => Object.hasOwn(unpackers, name);

/** null: it is not packed so, or holds more than {@link MOST_BYTES}. Holds its caller up: it is for a thread of its own. */
export function unpack(bytes: Uint8Array, packing: string): Uint8Array | null {
  try {
    return unpackers[packing]?.(bytes) ?? null;
  } catch {
    return null;
  }
}
