import { ProblemError } from '../../../model/problem.ts';
import { releaseBuffer, takeBuffer } from '../../../model/rows/buffer-pool.ts';
import { BROKEN_STREAM } from './decompress.ts';

/**
 * The part of a stream that a decoder is looking at: `bytes[start .. end)`, whose first byte is number `offset`
 * of the stream. Grows only by bytes that really arrived, never by a length that the data claims. The chunks
 * belong to the caller: a decoder that stops early leaves the rest to it.
 */
export class ByteWindow {
  bytes = new Uint8Array(takeBuffer(1 << 17));
  start = 0;
  end = 0;
  offset: number;
  /** Why the stream ended early, when it did. */
  broken = '';
  private ended = false;
  private readonly iterator: AsyncIterator<Uint8Array>;

  /** @param offset of the first byte, when the stream is a piece of a file */
  constructor(chunks: AsyncIterable<Uint8Array>, offset = 0) {
    this.offset = offset;
    this.iterator = chunks[Symbol.asyncIterator]();
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Appends the next chunk; false at the end of the stream. */
  async more(): Promise<boolean> {
    const chunk = await this.next();
    if (!chunk) return false;
    this.makeRoom(chunk.length);
    this.bytes.set(chunk, this.end);
    this.end += chunk.length;
    return true;
  }

  /** Has at least `size` bytes in the window, unless the stream is shorter. */
  async fill(size: number): Promise<boolean> {
    while (this.length < size) if (!(await this.more())) return false;
    return true;
  }

  drop(size: number): void {
    this.start += size;
    this.offset += size;
  }

  /** Steps over `size` bytes of the stream, most of which may not have arrived yet. */
  async skip(size: number): Promise<void> {
    let left = size;
    for (;;) {
      const step = Math.min(left, this.length);
      this.drop(step);
      left -= step;
      if (left === 0 || !(await this.more())) return;
    }
  }

  /** Nobody looks at the window any more. */
  close(): void {
    releaseBuffer(this.bytes.buffer);
    this.bytes = new Uint8Array(0);
    this.start = 0;
    this.end = 0;
  }

  private async next(): Promise<Uint8Array | undefined> {
    while (!this.ended) {
      try {
        const next = await this.iterator.next();
        if (next.done) this.ended = true;
        else if (next.value.length > 0) return next.value;
      } catch (error) {
        if (!(error instanceof ProblemError) || error.problem.code !== BROKEN_STREAM) throw error;
        this.ended = true;
        this.broken = error.problem.message;
      }
    }
    return undefined;
  }

  private makeRoom(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    const length = this.length;
    const before = this.bytes;
    if (length + more > before.length / 2) this.bytes = new Uint8Array(takeBuffer((length + more) * 2));
    this.bytes.set(before.subarray(this.start, this.end));
    if (this.bytes !== before) releaseBuffer(before.buffer);
    this.start = 0;
    this.end = length;
  }
}
