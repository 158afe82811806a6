import * as zlib from 'node:zlib';
import { ProblemError } from '../../../model/problem.ts';
import type { ByteWindow } from './byte-window.ts';
import { BROKEN_STREAM, openBytes } from './decompress.ts';
import { isZstdFrame } from './zstd-frame.ts';

/** Longer messages are not held in memory: no producer writes them, a corrupt length claims them. */
export const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

export const readUint32 = (bytes: Uint8Array, at: number): number =>
  bytes[at]! * 16777216 + ((bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!);

/**
 * Whether `head` starts with the collector file exporter's historic framing under `compression: zstd`: every
 * message compressed by itself, preceded by its length as a 4-byte big-endian number.
 */
export function isZstdMessages(head: Uint8Array): boolean {
  const length = head.length < 8 ? 0 : readUint32(head, 0);
  return length >= 9 && length <= MAX_MESSAGE_BYTES && isZstdFrame(head, 4);
}

/** What can be decompressed of the first message of {@link isZstdMessages} data, for format detection. */
export function firstZstdMessage(head: Uint8Array): Uint8Array {
  if (typeof zlib.zstdDecompressSync !== 'function') return new Uint8Array(0);
  const message = head.subarray(4, 4 + readUint32(head, 0));
  try {
    return zlib.zstdDecompressSync(message, {
      finishFlush: zlib.constants.ZSTD_e_flush,
      maxOutputLength: MAX_MESSAGE_BYTES,
    });
  } catch {
    return new Uint8Array(0);
  }
}

/** One message, decompressed as far as possible. */
export interface ZstdMessage {
  readonly bytes: Uint8Array;
  /** Where its length field is in the stream. */
  readonly at: number;
  /** Why not all of it is there; '' when it is. */
  readonly problem: string;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function decompress(compressed: Uint8Array, at: number): Promise<ZstdMessage> {
  let bytes = new Uint8Array(0);
  let length = 0;
  try {
    for await (const block of openBytes(once(compressed))) {
      if (length + block.length > MAX_MESSAGE_BYTES) {
        return { bytes: bytes.subarray(0, length), at, problem: `message expands beyond ${MAX_MESSAGE_BYTES} bytes` };
      }
      if (length + block.length > bytes.length) {
        const grown = new Uint8Array((length + block.length) * 2);
        grown.set(bytes.subarray(0, length));
        bytes = grown;
      }
      bytes.set(block, length);
      length += block.length;
    }
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== BROKEN_STREAM) throw error;
    return {
      bytes: bytes.subarray(0, length),
      at,
      problem: error.problem.message.replace('of the file', 'of its message'),
    };
  }
  return { bytes: bytes.subarray(0, length), at, problem: '' };
}

/** Reads the messages one by one; a file that ends inside one yields what is there of it, with the reason. */
export async function* zstdMessages(window: ByteWindow): AsyncGenerator<ZstdMessage> {
  while (await window.fill(1)) {
    const at = window.offset;
    if (!(await window.fill(4)))
      return yield { bytes: new Uint8Array(0), at, problem: 'the file ends inside a message length' };
    const length = readUint32(window.bytes, window.start);
    if (length > MAX_MESSAGE_BYTES) {
      return yield {
        bytes: new Uint8Array(0),
        at,
        problem: `a message of ${length} bytes is announced: the framing is lost here`,
      };
    }
    const whole = await window.fill(4 + length);
    const compressed = window.bytes.slice(window.start + 4, window.start + Math.min(4 + length, window.length));
    window.drop(Math.min(4 + length, window.length));
    if (length === 0) continue;
    if (whole && !isZstdFrame(compressed))
      yield { bytes: new Uint8Array(0), at, problem: 'the message is not a Zstandard frame' };
    else {
      const message = await decompress(compressed, at);
      yield whole
        ? message
        : { ...message, problem: window.broken || `the file ends inside a message of ${length} bytes` };
    }
  }
}
