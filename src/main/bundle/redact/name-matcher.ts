/**
 * Finds whole words out of many in one pass over a text (Aho and Corasick, 1975): a table of states by characters, so that a
 * character costs one look-up whatever the number of words. Letters match in either case.
 */
export class NameMatcher {
  /** 0: a character of no word; 1: one beyond ASCII, for which candidates are compared with the words themselves. */
  private readonly classes = new Uint8Array(128);
  private readonly width: number;
  private next: Int32Array;
  private states = 1;
  /** Length of the word that ends in a state, and the state of the next shorter one that ends there, too; 0: none. */
  private readonly ends: Int32Array;
  private readonly shorter: Int32Array;
  private readonly numbers = new Map<string, number>();

  constructor(words: readonly string[]) {
    const lower = words.map((word) => word.toLowerCase());
    let used = 2;
    for (const word of lower)
      for (let i = 0; i < word.length; i++) {
        const code = word.charCodeAt(i);
        if (code < 128 && this.classes[code] === 0) this.classes[code] = used++;
      }
    for (let upper = 65; upper <= 90; upper++) this.classes[upper] = this.classes[upper + 32]!;
    this.width = used;
    this.next = new Int32Array(1024 * used);
    const ends: number[] = [];
    for (const [number, word] of lower.entries()) {
      if (word === '') continue;
      this.numbers.set(word, number);
      ends[this.enter(word)] = word.length;
    }
    this.ends = Int32Array.from({ length: this.states }, (_, state) => ends[state] ?? 0);
    this.shorter = new Int32Array(this.states);
    this.link();
  }

  private classOf(code: number): number {
    return code < 128 ? this.classes[code]! : 1;
  }

  /** @returns the state in which a word ends */
  private enter(word: string): number {
    let state = 0;
    for (let i = 0; i < word.length; i++) {
      const place = state * this.width + this.classOf(word.charCodeAt(i));
      if (this.next[place] === 0) {
        this.next[place] = this.states++;
        if (this.states * this.width > this.next.length) {
          const grown = new Int32Array(this.next.length * 2);
          grown.set(this.next);
          this.next = grown;
        }
      }
      state = this.next[place]!;
    }
    return state;
  }

  /** Makes of the tree a table that never has to go back; breadth first. */
  private link(): void {
    const fallback = new Int32Array(this.states);
    const queue = new Int32Array(this.states);
    let end = 0;
    for (let c = 0; c < this.width; c++) if (this.next[c] !== 0) queue[end++] = this.next[c]!;
    for (let at = 0; at < end; at++) {
      const state = queue[at]!;
      const back = fallback[state]!;
      this.shorter[state] = this.ends[back] === 0 ? this.shorter[back]! : back;
      for (let c = 0; c < this.width; c++) {
        const child = this.next[state * this.width + c]!;
        const other = this.next[back * this.width + c]!;
        if (child === 0) this.next[state * this.width + c] = other;
        else {
          fallback[child] = other;
          queue[end++] = child;
        }
      }
    }
  }

  /** Leftmost, longest words of a text, none over another: `[from, until, word]` one behind the other; null: none. */
  find(text: string): number[] | null {
    let found: number[] | null = null;
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      state = this.next[state * this.width + this.classOf(text.charCodeAt(i))]!;
      if (state === 0) continue;
      const first = this.ends[state] === 0 ? this.shorter[state]! : state;
      for (let ending = first; ending !== 0; ending = this.shorter[ending]!) {
        const from = i + 1 - this.ends[ending]!;
        if (isWordCode(text.charCodeAt(i + 1)) || !beginsWord(text, from)) continue;
        const number = this.numbers.get(text.slice(from, i + 1).toLowerCase());
        if (number === undefined) continue;
        found ??= [];
        // What began later, or at the same place and ended earlier, gives way.
        while (found.length > 0 && found[found.length - 3]! >= from) found.length -= 3;
        if (found.length === 0 || found[found.length - 2]! <= from) found.push(from, i + 1, number);
        break;
      }
    }
    return found;
  }
}

/**
 * Letters and digits; beyond the text there are none. Beyond ASCII only letters of scripts that have two cases: those are
 * written with spaces between words, where dashes, quotation marks and Chinese stand right beside a name.
 */
const isWordCode = (code: number): boolean =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  (code > 127 && /[\p{Lu}\p{Ll}\p{Lt}\p{Nd}]/u.test(String.fromCharCode(code)));

/** What ends in a letter or digit that is no part of a word: `\n`, `\u003c`, `%3D`, and what colours a line of a terminal. */
export const ESCAPED = '\\\\[abefnrtv0]|\\\\u[0-9A-Fa-f]{4}|\\\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\\[[\\d;]{0,11}m';
const escapedBefore = new RegExp(`(?:${ESCAPED})$`);
const LONGEST_ESCAPED = 13;

const beginsWord = (text: string, from: number): boolean =>
  !isWordCode(text.charCodeAt(from - 1)) || escapedBefore.test(text.slice(Math.max(0, from - LONGEST_ESCAPED), from));
