/**
 * Finds spans by their trace and id. A table of its own over typed arrays: maps of bigints took most of the time that
 * arranging 100 000 spans takes.
 */
export class SpanIndex {
  /** The next span of the same trace and id, in the order of the columns; -1: none. */
  readonly next: Int32Array;
  private readonly trace: Int32Array;
  private readonly words: Uint32Array;
  /** The first span of each trace and id, at the first free place from its hash on; -1: free. */
  private readonly slots: Int32Array;
  private readonly mask: number;

  constructor(trace: Int32Array, id: BigUint64Array) {
    this.trace = trace;
    this.words = uint32WordsOf(id);
    const places = 2 ** Math.ceil(Math.log2(2 * id.length + 2));
    this.mask = places - 1;
    this.slots = new Int32Array(places).fill(-1);
    this.next = new Int32Array(id.length).fill(-1);
    // From the last to the first, so that each list is in order.
    for (let at = id.length - 1; at >= 0; at--) {
      const slot = this.slotOf(trace[at]!, this.words, at);
      this.next[at] = this.slots[slot]!;
      this.slots[slot] = at;
    }
  }

  /** The first span of a trace with the id at index `at` of `words`; -1: none. */
  first(trace: number, words: Uint32Array, at: number): number {
    return this.slots[this.slotOf(trace, words, at)]!;
  }

  private slotOf(trace: number, words: Uint32Array, at: number): number {
    const low = words[2 * at]!;
    const high = words[2 * at + 1]!;
    let slot =
      (Math.imul(low ^ Math.imul(high, 0x85ebca6b) ^ Math.imul(trace, 0xc2b2ae35), 0x9e3779b1) >>> 7) & this.mask;
    for (;;) {
      const storedSpan = this.slots[slot]!;
      if (storedSpan < 0) return slot;
      if (
        this.words[2 * storedSpan] === low &&
        this.words[2 * storedSpan + 1] === high &&
        this.trace[storedSpan] === trace
      )
        return slot;
      slot = (slot + 1) & this.mask;
    }
  }
}

/** Ids as two numbers each, the lower first. */
export const uint32WordsOf = (id: BigUint64Array): Uint32Array =>
  new Uint32Array(id.buffer, id.byteOffset, 2 * id.length);
