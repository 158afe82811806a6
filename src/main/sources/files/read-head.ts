import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { releaseBuffer, takeBuffer } from '../../../model/rows/buffer-pool.ts';
import { DETECT_BYTES } from '../../../model/storage/source.ts';
import { isCompressed, openBytes } from '../bytes/decompress.ts';

const READ_BYTES = 1 << 20;
/** A pipe has no size. */
const LEAST_BYTES = 1 << 14;

/** Opens the file on the first read: an unread stream keeps it open, and its failure ends the thread. */
export async function* rawBytes(location: string, start = 0): AsyncGenerator<Uint8Array> {
  // The stream takes a buffer for each read, also for the one that finds the end: of a small file no megabytes.
  const { size } = await stat(location);
  const highWaterMark = Math.max(LEAST_BYTES, Math.min(READ_BYTES, size - start));
  yield* createReadStream(location, { highWaterMark, start }) as AsyncIterable<Uint8Array>;
}

/** The same in buffers of the pool; the receiver owns each buffer. */
export async function* reusedReads(location: string, start: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const file = await open(location);
  try {
    for (let at = start; ; ) {
      const buffer = new Uint8Array(takeBuffer(READ_BYTES));
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, at);
      if (bytesRead === 0) return releaseBuffer(buffer.buffer);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Whether a file's bytes are its content, not compressed. */
export const isPlain = async (location: string): Promise<boolean> => !isCompressed(await firstBytes(location));

async function firstBytes(location: string): Promise<Uint8Array> {
  const file = await open(location);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(DETECT_BYTES), 0, DETECT_BYTES, 0);
    return buffer.slice(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * The first decompressed bytes. A compressed stream that breaks early still shows what it holds.
 * @throws ProblemError zstd.unsupported, or the broken stream's when nothing could be read
 */
export async function readHead(location: string): Promise<Uint8Array> {
  const start = await firstBytes(location);
  // Most files are what they are: a stream for each of a hundred thousand would cost minutes.
  if (!isCompressed(start)) return start;
  const seen: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of openBytes(createReadStream(location, { highWaterMark: DETECT_BYTES }))) {
      seen.push(Uint8Array.from(chunk));
      length += chunk.length;
      if (length >= DETECT_BYTES) break;
    }
  } catch (error) {
    if (seen.length === 0) throw error;
  }
  return Buffer.concat(seen).subarray(0, DETECT_BYTES);
}
