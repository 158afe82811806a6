/**
 * Whether bytes contain one of a few ASCII texts. Searched per log record, of which nearly none contains one: a table of byte
 * pairs skips most places with one look.
 * @param needles of at least two characters
 */
export class NeedleSearch {
  /** By the first two bytes of a needle. */
  private readonly starts = new Map<number, Uint8Array[]>();
  private readonly isStart = new Uint8Array(1 << 16);

  constructor(needles: readonly string[]) {
    for (const needle of needles) {
      const bytes = new TextEncoder().encode(needle);
      const pair = (bytes[0]! << 8) | bytes[1]!;
      this.isStart[pair] = 1;
      const known = this.starts.get(pair);
      if (known) known.push(bytes);
      else this.starts.set(pair, [bytes]);
    }
  }

  isIn(bytes: Uint8Array, start: number, end: number): boolean {
    const { isStart } = this;
    let pair = 0;
    for (let i = start; i < end; i++) {
      pair = ((pair << 8) | bytes[i]!) & 0xffff;
      if (isStart[pair] === 1 && this.beginsAt(bytes, i - 1, end)) return true;
    }
    return false;
  }

  private beginsAt(bytes: Uint8Array, at: number, end: number): boolean {
    const key = (bytes[at]! << 8) | bytes[at + 1]!;
    return this.starts.get(key)!.some((needle) => {
      if (at + needle.length > end) return false;
      for (let i = 2; i < needle.length; i++) if (bytes[at + i] !== needle[i]) return false;
      return true;
    });
  }
}
