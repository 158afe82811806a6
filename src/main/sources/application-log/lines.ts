import { endOfLine, lineOf } from '../bytes/lines.ts';
import type { FastLines } from './fast/fast-lines.ts';
import type { Records } from './records.ts';

const [OPEN, QUOTE] = [0x7b, 0x22];

/** Hands each line to the reader that can take it: what the fast one does not, the general one does. */
export class Lines {
  private readonly records: Records;
  private readonly fast: FastLines | undefined;
  private readonly offset: number;
  private readonly mayStart: () => boolean;
  /** The line whose row was added last, which the next line may go on; undefined: none. */
  private last: Uint8Array | undefined;
  private lastFrom = 0;
  private lastEnd = 0;
  private lastAt = 0;

  /** @param offset of the piece that is read within its file */
  constructor(records: Records, fast: FastLines | undefined, offset: number) {
    this.records = records;
    this.fast = fast;
    this.offset = offset;
    this.mayStart = () => records.startsAfresh();
  }

  /** Takes the line that begins at `from`; the index behind it. `at`: where the bytes lie in the piece. */
  push(bytes: Uint8Array, from: number, at: number): number {
    const { fast } = this;
    const isObject = bytes[from] === OPEN && bytes[from + 1] === QUOTE;
    if (fast && isObject && fast.push(bytes, from, bytes.length, this.mayStart)) {
      this.last = bytes;
      this.lastFrom = from;
      this.lastEnd = fast.next;
      this.lastAt = at + from;
      return fast.next;
    }
    const end = endOfLine(bytes, from);
    const { text } = lineOf(bytes.subarray(from, end), at + from);
    // An object goes on nothing, but for what a container runtime wrapped.
    if (!isObject || text.includes('"log":') || text.includes('"line":')) this.reopen();
    this.last = undefined;
    this.records.push(text, this.offset + at + from);
    return end + 1;
  }

  /** To be called before the builder hands its rows over. */
  beforeBatch(): void {
    this.reopen();
    this.last = undefined;
  }

  /** To be called before the bytes of the last line are no longer there. */
  beforeBytes(): void {
    if (!this.last) return;
    this.last = this.last.slice(this.lastFrom, this.lastEnd);
    this.lastEnd -= this.lastFrom;
    this.lastFrom = 0;
  }

  /** Reads the last line once more, with the general reader, which can add to its record. */
  private reopen(): void {
    const { fast, last, lastFrom } = this;
    if (!fast || !last) return;
    fast.undo();
    const bytes = last.subarray(lastFrom, endOfLine(last, lastFrom));
    this.records.push(lineOf(bytes, this.lastAt).text, this.offset + this.lastAt);
  }
}
