const pairAt = (bytes: Uint8Array, at: number): number => (bytes[at]! << 8) | bytes[at + 1]!;

/**
 * Whether bytes contain one of a few ASCII texts. Searched per log record, of which nearly none contains one, so it skips
 * ahead by pairs of bytes (Wu and Manber): a pair that no needle has in its first bytes lets the search jump over it.
 * @param needles of at least two characters; the shortest one bounds the jumps
 */
export class NeedleSearch {
  /** Bytes of each needle that decide on jumps: as many as the shortest has. */
  private readonly window: number;
  /** By a pair of bytes: how far the search may move on; 0: a needle may end its window here. */
  private readonly jumps: Uint8Array;
  /** By a pair: where in {@link candidates} the needles are whose windows end with it. */
  private readonly groups = new Uint16Array(1 << 16);
  private readonly candidates: Uint8Array[][] = [[]];

  constructor(needles: readonly string[]) {
    const all = needles.map((needle) => new TextEncoder().encode(needle));
    this.window = Math.min(...all.map(({ length }) => length));
    this.jumps = new Uint8Array(1 << 16).fill(this.window - 1);
    const last = this.window - 2;
    for (const bytes of all) {
      for (let at = 0; at <= last; at++) {
        const pair = pairAt(bytes, at);
        this.jumps[pair] = Math.min(this.jumps[pair]!, last - at);
      }
      const end = pairAt(bytes, last);
      if (this.groups[end] === 0) this.groups[end] = this.candidates.push([]) - 1;
      this.candidates[this.groups[end]!]!.push(bytes);
    }
  }

  isIn(bytes: Uint8Array, start: number, end: number): boolean {
    const { jumps, window } = this;
    for (let at = start + window - 2; at < end - 1; ) {
      const jump = jumps[pairAt(bytes, at)]!;
      if (jump === 0 && this.isAt(bytes, at - window + 2, end)) return true;
      at += Math.max(1, jump);
    }
    return false;
  }

  private isAt(bytes: Uint8Array, from: number, end: number): boolean {
    const needles = this.candidates[this.groups[pairAt(bytes, from + this.window - 2)]!]!;
    for (let i = 0; i < needles.length; i++) {
      const needle = needles[i]!;
      let k = 0;
      while (k < needle.length && bytes[from + k] === needle[k]) k++;
      if (k === needle.length && from + k <= end) return true;
    }
    return false;
  }
}
