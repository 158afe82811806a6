import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { fail, ProblemError } from '../../../model/problem.ts';
import { isZstdFrame, ZstdFrameWalk } from './zstd-frame.ts';

/** The code of the problem that {@link openBytes} ends with when compressed data breaks off or is corrupt. */
export const BROKEN_STREAM = 'bytes.broken_stream';

// One output block at a time, so that whatever was decoded before an error has been handed over before it.
const STREAM_OPTIONS = { readableHighWaterMark: 1, chunkSize: 65_536 };
// Input goes in by slices, so that an error costs no more than the output of one call.
const SLICE = 16_384;

const broken = (at: number, reason: string): ProblemError =>
  new ProblemError({ code: BROKEN_STREAM, message: `compressed data breaks at byte ${at} of the file: ${reason}` });

/** Chunks that can be looked at before they are taken; counts the bytes it has handed out. */
class Feed {
  offset = 0;
  head: Uint8Array = new Uint8Array(0);
  private readonly iterator: AsyncIterator<Uint8Array>;
  private done = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.iterator = chunks[Symbol.asyncIterator]();
  }

  /** Makes the head at least `size` bytes long when there are so many. */
  async fill(size: number): Promise<boolean> {
    while (this.head.length < size && !this.done) {
      const next = await this.iterator.next();
      if (next.done) this.done = true;
      else if (this.head.length === 0) this.head = next.value;
      else {
        const joined = new Uint8Array(this.head.length + next.value.length);
        joined.set(this.head);
        joined.set(next.value, this.head.length);
        this.head = joined;
      }
    }
    return this.head.length >= size;
  }

  take(size: number): Uint8Array {
    const taken = this.head.subarray(0, size);
    this.head = this.head.subarray(size);
    this.offset += size;
    return taken;
  }

  async close(): Promise<void> {
    if (!this.done) await this.iterator.return?.();
  }
}

/** Drives a zlib stream by hand: pull only, so memory stays bounded however much a byte expands to. */
class Inflater {
  failure: Error | undefined;
  ended = false;
  private wake: () => void = () => undefined;
  private readonly stream: Transform;

  constructor(stream: Transform) {
    this.stream = stream;
    stream.on('error', (error) => {
      this.failure ??= error;
      this.wake();
    });
    stream.on('readable', () => this.wake());
    stream.on('end', () => {
      this.ended = true;
      this.wake();
    });
  }

  async *push(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    let taken = false;
    this.stream.write(bytes, () => {
      taken = true;
      this.wake();
    });
    yield* this.drain(() => taken);
  }

  async *finish(): AsyncGenerator<Uint8Array> {
    this.stream.end();
    yield* this.drain(() => this.ended);
  }

  close(): void {
    this.stream.destroy();
  }

  private async *drain(until: () => boolean): AsyncGenerator<Uint8Array> {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      const block = this.stream.read() as Uint8Array | null;
      if (block) yield block;
      else if (this.failure || until()) return;
      else await woken;
    }
  }
}

async function* inflateGzip(feed: Feed): AsyncGenerator<Uint8Array> {
  const inflater = new Inflater(zlib.createGunzip(STREAM_OPTIONS));
  try {
    while (!inflater.failure && (await feed.fill(1)))
      yield* inflater.push(feed.take(Math.min(SLICE, feed.head.length)));
    if (!inflater.failure) yield* inflater.finish();
    if (inflater.failure) throw broken(feed.offset, inflater.failure.message);
  } finally {
    inflater.close();
  }
}

async function* inflateZstd(feed: Feed): AsyncGenerator<Uint8Array> {
  if (typeof zlib.createZstdDecompress !== 'function') {
    fail('zstd.unsupported', 'the file is compressed with Zstandard, which this runtime cannot read', {
      hint: 'decompress it first: zstd -d FILE',
    });
  }
  while (await feed.fill(1)) yield* inflateZstdFrame(feed);
}

async function* inflateZstdFrame(feed: Feed): AsyncGenerator<Uint8Array> {
  const walk = new ZstdFrameWalk();
  const inflater = new Inflater(zlib.createZstdDecompress(STREAM_OPTIONS));
  try {
    while (walk.part !== 'done') {
      if (!(await feed.fill(1))) throw broken(feed.offset, 'the Zstandard frame is cut off');
      const start = feed.offset;
      const slice = feed.head.subarray(0, SLICE);
      const taken = feed.take(walk.feed(slice, 0));
      if (walk.part === 'invalid') throw broken(start, 'not a Zstandard frame');
      if (!walk.skippable) yield* inflater.push(taken);
      if (inflater.failure) throw broken(feed.offset, inflater.failure.message);
    }
    if (!walk.skippable) yield* inflater.finish();
    if (inflater.failure) throw broken(feed.offset, inflater.failure.message);
  } finally {
    inflater.close();
  }
}

/** Whether {@link openBytes} would decompress what starts like this. */
export const isCompressed = (head: Uint8Array): boolean => isGzip(head) || isZstdFrame(head);

const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/**
 * Opens gzip (RFC 1952, several members too) and Zstandard (RFC 8878, several frames too) by their first bytes;
 * anything else passes through as it is. When the compressed data breaks, what could be decoded has been
 * handed over and the iteration ends with a {@link BROKEN_STREAM} problem.
 */
export async function* openBytes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const feed = new Feed(chunks);
  try {
    await feed.fill(4);
    if (isGzip(feed.head)) yield* inflateGzip(feed);
    else if (isZstdFrame(feed.head)) yield* inflateZstd(feed);
    else while (await feed.fill(1)) yield feed.take(feed.head.length);
  } finally {
    await feed.close();
  }
}
