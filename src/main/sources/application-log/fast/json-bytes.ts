import { KIND } from './kind.ts';
import { NULL, PLAIN } from './shape.ts';
import { isUsual } from './value-text.ts';

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const [SPACE, MINUS, DOT, ZERO, UNDERLINE] = [0x20, 0x2d, 0x2e, 0x30, 0x5f];
/** Of each of four bytes. */
const HIGHEST_BITS = -0x7f7f7f80;
/** Digits that a double keeps. */
const EXACT_DIGITS = 15;
/** Smaller numbers are written with an exponent. */
const MOST_ZEROS = 5;
/** Of nested values that are checked: depth, and members of all objects. */
const [MOST_DEPTH, MOST_MEMBERS] = [8, 32];

/** 1 for the bytes of a string that need a look. */
export const special = new Uint8Array(256);
special.fill(1, 0, 0x20);
special.fill(1, 0x80);
special[QUOTE] = 1;
special[BACKSLASH] = 1;

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);
const words = [
  { bytes: ascii('true'), value: PLAIN },
  { bytes: ascii('false'), value: PLAIN },
  { bytes: ascii('null'), value: NULL },
] as const;

/** Steps over values of JSON text, and finds out how they are written. */
export class JsonBytes {
  protected bytes: Uint8Array = new Uint8Array(0);
  /** The same bytes, to be read four at a time. */
  protected words: DataView = new DataView(this.bytes.buffer);
  protected end = 0;
  protected at = 0;
  /** Of the value that was passed last: a {@link KIND}. */
  protected kind = 0;
  /** A byte that is not ASCII was passed. */
  protected hasHigh = false;
  private readonly keyFrom = new Uint32Array(MOST_MEMBERS);
  private readonly keyEnd = new Uint32Array(MOST_MEMBERS);
  /** By depth: the first member of the object, -1 of a list. */
  private readonly firstMember = new Int32Array(MOST_DEPTH);

  /** Steps over spaces; the byte behind them, or -1. */
  protected blank(): number {
    const { bytes, end } = this;
    let { at } = this;
    while (at < end && bytes[at] === SPACE) at++;
    this.at = at;
    return at < end ? bytes[at]! : -1;
  }

  protected passString(): boolean {
    const { bytes, words, end } = this;
    const lastWord = end - 4;
    let at = this.at + 1;
    this.kind = KIND.text;
    for (; at < end; at++) {
      while (at <= lastWord && isPlainWord(words.getInt32(at, true))) at += 4;
      if (at === end) return false;
      const byte = bytes[at]!;
      if (special[byte] === 0) continue;
      if (byte === QUOTE) {
        this.at = at + 1;
        return true;
      }
      if (byte === BACKSLASH) {
        this.kind = KIND.escaped;
        at++;
        if (bytes[at]! < SPACE) return false;
      } else if (byte >= 0x80) this.hasHigh = true;
      else return false;
    }
    return false;
  }

  protected passNested(): boolean {
    const { bytes, end } = this;
    let depth = 0;
    while (this.at < end) {
      const byte = bytes[this.at]!;
      if (byte === QUOTE) {
        if (!this.passString()) return false;
        continue;
      }
      if (byte < SPACE) return false;
      this.at++;
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return true;
    }
    return false;
  }

  protected passNumber(): void {
    const { bytes, end } = this;
    let { at } = this;
    const isNegative = bytes[at] === MINUS;
    if (isNegative) at++;
    const start = at;
    while (at < end && isDigit(bytes[at]!)) at++;
    const whole = at - start;
    const leading = bytes[start];
    let exact = whole > 0 && (leading !== ZERO || whole === 1);
    let digits = whole;
    this.kind = KIND.count;
    if (bytes[at] === DOT && at < end) {
      const fraction = ++at;
      while (at < end && isDigit(bytes[at]!)) at++;
      digits += at - fraction;
      this.kind = KIND.decimal;
      let zeros = 0;
      while (zeros < at - fraction && bytes[fraction + zeros] === ZERO) zeros++;
      exact &&= at > fraction && bytes[at - 1] !== ZERO && (leading !== ZERO || zeros <= MOST_ZEROS);
    } else if (isNegative && leading === ZERO) exact = false;
    const isWhole = at >= end || !isNumberByte(bytes[at]!);
    while (at < end && isNumberByte(bytes[at]!)) at++;
    this.at = at;
    if (!exact || !isWhole || digits > EXACT_DIGITS) this.kind = KIND.number;
  }

  protected passWord(): number {
    const { bytes } = this;
    for (const word of words) {
      let k = 0;
      while (k < word.bytes.length && bytes[this.at + k] === word.bytes[k]) k++;
      if (k < word.bytes.length || this.at + k > this.end) continue;
      this.at += k;
      this.kind = KIND.word;
      return word.value;
    }
    return -1;
  }

  /** Steps over a nested value whose text is the one that `JSON.stringify` would write; false: it is not, or may not be. */
  protected passCompact(): boolean {
    const { bytes, firstMember } = this;
    let depth = 0;
    let members = 0;
    for (;;) {
      const byte = bytes[this.at]!;
      let isOpen = false;
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (depth === MOST_DEPTH) return false;
        firstMember[depth++] = byte === OPEN_BRACE ? members : -1;
        this.at++;
        isOpen = true;
      } else if (!this.passPlain(byte)) return false;
      // Behind a value, or at the first one of what was opened.
      for (;;) {
        if (depth === 0) return true;
        const first = firstMember[depth - 1]!;
        const next = bytes[this.at]!;
        if (next === (first < 0 ? CLOSE_BRACKET : CLOSE_BRACE)) {
          this.at++;
          if (first >= 0) members = first;
          depth--;
          isOpen = false;
          continue;
        }
        if (!isOpen) {
          if (next !== COMMA) return false;
          this.at++;
        }
        if (first >= 0 && !this.passKey(first, members++)) return false;
        break;
      }
      if (this.at >= this.end) return false;
    }
  }

  private passPlain(first: number): boolean {
    if (first === QUOTE) {
      const start = this.at + 1;
      return this.passString() && (this.kind === KIND.text || isUsual(this.bytes, start, this.at - 1));
    }
    if (first === MINUS || isDigit(first)) {
      this.passNumber();
      return this.kind !== KIND.number;
    }
    return this.passWord() >= 0;
  }

  /** A key that is unlike those before and that no engine puts elsewhere, and its colon. */
  private passKey(first: number, member: number): boolean {
    const { bytes, keyFrom, keyEnd } = this;
    const from = this.at + 1;
    if (member >= MOST_MEMBERS || bytes[this.at] !== QUOTE || !this.passString() || this.kind !== KIND.text)
      return false;
    const end = this.at - 1;
    if (isDigit(bytes[from]!) || bytes[from] === UNDERLINE || bytes[this.at] !== COLON) return false;
    this.at++;
    for (let other = first; other < member; other++) {
      const start = keyFrom[other]!;
      if (keyEnd[other]! - start !== end - from) continue;
      let k = 0;
      while (k < end - from && bytes[start + k] === bytes[from + k]) k++;
      if (k === end - from) return false;
    }
    keyFrom[member] = from;
    keyEnd[member] = end;
    return true;
  }
}

/**
 * Whether none of four bytes needs a look: the highest bit of each stays clear where none is below a space, a quote, a backslash or beyond
 * ASCII. A borrow comes only out of a byte that is one of these.
 */
const isPlainWord = (word: number): boolean => {
  const quote = (word ^ 0x22222222) - 0x01010101;
  const backslash = (word ^ 0x5c5c5c5c) - 0x01010101;
  return ((word | (word - 0x20202020) | quote | backslash) & HIGHEST_BITS) === 0;
};

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= 0x39;
/** Digits, `+`, `-`, `.`, `e`, `E`. */
const isNumberByte = (byte: number): boolean =>
  isDigit(byte) || byte === MINUS || byte === DOT || byte === 0x2b || byte === 0x65 || byte === 0x45;
