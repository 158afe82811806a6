import { utf8 } from './utf8.ts';

const MAX_ENTRIES = 1 << 16;

/**
 * Gives equal byte ranges equal numbers without making a string of each: a hash table over a pool of bytes.
 * It forgets everything when `MAX_ENTRIES` are reached, so hostile cardinality cannot grow it without bound.
 */
export class ByteTable {
  /** Moves on whenever the table forgets: numbers of an older epoch mean nothing. */
  epoch = 0;
  count = 0;
  private slots = new Int32Array(1 << 10).fill(-1);
  private hashes = new Int32Array(1 << 9);
  private seeds = new Int32Array(1 << 9);
  private starts = new Uint32Array((1 << 9) + 1);
  private pool = new Uint8Array(1 << 14);
  private poolWords = new DataView(this.pool.buffer);
  /** The bytes that were given last, and all of their buffer: most come from one, and to ask each time for it takes longer than to hash. */
  private last: Uint8Array = this.pool;
  private words: DataView = new DataView(this.pool.buffer);

  /** The number of `bytes[start .. end)` beside `seed`; equals the old `count` when the two were never seen together. */
  intern(bytes: Uint8Array, start: number, end: number, seed = 0): number {
    if (this.last !== bytes) {
      this.last = bytes;
      if (this.words.buffer !== bytes.buffer) this.words = new DataView(bytes.buffer);
    }
    const { words } = this;
    // Four bytes at a time, and the last four once more where they do not fill a word.
    const from = bytes.byteOffset + start;
    const last = from + end - start - 4;
    let hash = Math.imul(end - start, 0x9e3779b1) ^ seed;
    if (last < from) for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
    else {
      for (let i = from; i < last; i += 4) hash = mixed(hash, words.getInt32(i, true));
      hash = mixed(hash, words.getInt32(last, true));
    }
    hash ^= hash >>> 15;
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const entry = this.slots[slot]!;
      if (entry < 0) break;
      if (this.hashes[entry] === hash && this.seeds[entry] === seed && this.equals(entry, bytes, start, end))
        return entry;
      slot = (slot + 1) & mask;
    }
    const entry = this.add(hash, bytes, start, end);
    this.seeds[entry] = seed;
    return entry;
  }

  text(entry: number): string {
    return utf8.decode(this.pool.subarray(this.starts[entry], this.starts[entry + 1]));
  }

  clear(): void {
    this.epoch++;
    this.count = 0;
    this.slots.fill(-1);
  }

  private equals(entry: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.starts[entry]!;
    const length = end - start;
    if (this.starts[entry + 1]! - from !== length) return false;
    if (length < 4) {
      for (let i = 0; i < length; i++) if (this.pool[from + i] !== bytes[start + i]) return false;
      return true;
    }
    const { words, poolWords } = this;
    const shift = bytes.byteOffset + start - from;
    const last = from + length - 4;
    for (let i = from; i < last; i += 4) if (poolWords.getInt32(i) !== words.getInt32(i + shift)) return false;
    return poolWords.getInt32(last) === words.getInt32(last + shift);
  }

  private add(hash: number, bytes: Uint8Array, start: number, end: number): number {
    if (this.count >= MAX_ENTRIES) this.clear();
    const entry = this.count++;
    if (entry + 2 > this.starts.length) this.growEntries();
    if (this.count * 2 > this.slots.length) this.rehash();
    const from = this.starts[entry]!;
    const to = from + end - start;
    if (to > this.pool.length) {
      const grown = new Uint8Array(Math.max(to, this.pool.length * 2));
      grown.set(this.pool.subarray(0, from));
      this.pool = grown;
      this.poolWords = new DataView(grown.buffer);
    }
    this.pool.set(bytes.subarray(start, end), from);
    this.starts[entry + 1] = to;
    this.hashes[entry] = hash;
    this.place(entry, hash);
    return entry;
  }

  private place(entry: number, hash: number): void {
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    while (this.slots[slot]! >= 0) slot = (slot + 1) & mask;
    this.slots[slot] = entry;
  }

  private growEntries(): void {
    const hashes = new Int32Array(this.hashes.length * 2);
    hashes.set(this.hashes);
    this.hashes = hashes;
    const seeds = new Int32Array(hashes.length);
    seeds.set(this.seeds);
    this.seeds = seeds;
    const starts = new Uint32Array(hashes.length + 1);
    starts.set(this.starts);
    this.starts = starts;
  }

  private rehash(): void {
    this.slots = new Int32Array(this.slots.length * 2).fill(-1);
    for (let entry = 0; entry < this.count - 1; entry++) this.place(entry, this.hashes[entry]!);
  }
}

/** A round of FNV that also brings high bits down: a word has more of them than a byte. */
const mixed = (hash: number, word: number): number => {
  const next = Math.imul(hash ^ word, 0x9e3779b1);
  return next ^ (next >>> 15);
};
