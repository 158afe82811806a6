/**
 * Buffers for reuse within one thread. Columns and file chunks of megabytes that are made anew for every batch cost a
 * third of an import's processor time in garbage collection and zeroing (measured with perf; `bench/` prints both).
 */
const spare = new Map<number, ArrayBuffer[]>();
let pooledBytes = 0;

const SMALLEST = 1 << 10;
/** More than this is given back to the system. */
const MOST_POOLED_BYTES = 48 * 1024 * 1024;

/** A buffer of at least `bytes`, its size a power of two; what is in it is anything. */
export function takeBuffer(bytes: number): ArrayBuffer {
  let size = SMALLEST;
  while (size < bytes) size *= 2;
  const found = spare.get(size)?.pop();
  if (!found) return new ArrayBuffer(size);
  pooledBytes -= size;
  return found;
}

/** This buffer is not used any more. */
export function releaseBuffer(buffer: ArrayBuffer): void {
  const size = buffer.byteLength;
  if (size < SMALLEST || (size & (size - 1)) !== 0 || pooledBytes + size > MOST_POOLED_BYTES) return;
  pooledBytes += size;
  const list = spare.get(size);
  if (list) list.push(buffer);
  else spare.set(size, [buffer]);
}
