const MAGIC = [0x28, 0xb5, 0x2f, 0xfd] as const;

/** Whether a Zstandard frame starts at `at` (RFC 8878, section 3.1.1). */
export const isZstdFrame = (bytes: Uint8Array, at = 0): boolean =>
  bytes[at] === MAGIC[0] && bytes[at + 1] === MAGIC[1] && bytes[at + 2] === MAGIC[2] && bytes[at + 3] === MAGIC[3];

type Part = 'magic' | 'descriptor' | 'header' | 'block_header' | 'body' | 'skip_size' | 'done' | 'invalid';

/**
 * Follows the layout of one Zstandard frame (RFC 8878) without decompressing it.
 *
 * Node's decompressor neither continues with the next frame of a concatenated file nor distinguishes a truncated
 * frame from a whole one; this walk finds the end of each frame.
 */
export class ZstdFrameWalk {
  part: Part = 'magic';
  skippable = false;
  private need = 4;
  private value = 0;
  private taken = 0;
  private lastBlock = false;
  private checksum = false;

  /** Reads from `at` on; answers the index after the last byte that belongs to this frame. */
  feed(bytes: Uint8Array, at: number): number {
    let position = at;
    while (position < bytes.length && this.part !== 'done' && this.part !== 'invalid') {
      if (this.part === 'body' || this.part === 'header') {
        const step = Math.min(this.need, bytes.length - position);
        position += step;
        this.need -= step;
      } else {
        this.value += bytes[position++]! * 2 ** (8 * this.taken++);
        this.need--;
      }
      if (this.need === 0) this.advance();
    }
    return position;
  }

  private expect(part: Part, need: number): void {
    this.part = part;
    this.need = need;
    this.value = 0;
    this.taken = 0;
    if (need === 0) this.advance();
  }

  private advance(): void {
    switch (this.part) {
      case 'magic':
        return this.afterMagic();
      case 'skip_size':
        return this.lastBody(this.value);
      case 'descriptor':
        return this.afterDescriptor(this.value);
      case 'header':
        return this.expect('block_header', 3);
      case 'block_header':
        return this.afterBlockHeader(this.value);
      case 'body':
        if (!this.lastBlock) return this.expect('block_header', 3);
        if (this.checksum) {
          this.checksum = false;
          return this.expect('body', 4);
        }
        this.part = 'done';
        return;
      default:
    }
  }

  private afterMagic(): void {
    if (this.value === 0xfd2fb528) return this.expect('descriptor', 1);
    this.skippable = this.value >= 0x184d2a50 && this.value <= 0x184d2a5f;
    if (this.skippable) return this.expect('skip_size', 4);
    this.part = 'invalid';
  }

  private afterDescriptor(descriptor: number): void {
    const single = (descriptor & 0x20) !== 0;
    this.checksum = (descriptor & 4) !== 0;
    const dictionary = [0, 1, 2, 4][descriptor & 3]!;
    const contentSize = [single ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
    this.expect('header', (single ? 0 : 1) + dictionary + contentSize);
  }

  private afterBlockHeader(header: number): void {
    this.lastBlock = (header & 1) !== 0;
    const kind = (header >> 1) & 3;
    if (kind === 3) {
      this.part = 'invalid';
      return;
    }
    // A run-length block stores the one byte it repeats; its size field is the length of the run.
    this.expect('body', kind === 1 ? 1 : header >>> 3);
  }

  private lastBody(size: number): void {
    this.lastBlock = true;
    this.expect('body', size);
  }
}
