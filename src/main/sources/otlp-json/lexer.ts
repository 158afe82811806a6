import { TextBuilder } from '../../../model/rows/batch-builder.ts';
import { unescapeString } from '../bytes/unescape.ts';
import { appendJsonString, appendText, plain } from '../otlp/json-text.ts';
import { utf8 } from '../otlp/utf8.ts';
import { findKey, hashByte, keyName } from './keys.ts';

/** The text stops being JSON at `at`, or ends there. */
export class BrokenJson extends Error {
  readonly at: number;
  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** 1 for the bytes that end a number or a word. */
const delimiter = new Uint8Array(256);
for (const byte of [0x20, 0x09, 0x0a, 0x0d, COMMA, COLON, CLOSE_BRACKET, CLOSE_BRACE, QUOTE, OPEN_BRACKET, OPEN_BRACE])
  delimiter[byte] = 1;

/** Text to compare with, four bytes at a time. */
export interface Literal {
  readonly words: Uint32Array;
  readonly tail: Uint8Array;
  readonly length: number;
}

/** Prepares ASCII text for {@link JsonLexer.match}. */
export function literal(ascii: string): Literal {
  const bytes = new TextEncoder().encode(ascii);
  const view = new DataView(bytes.buffer);
  const words = Uint32Array.from({ length: bytes.length >> 2 }, (_, i) => view.getUint32(i * 4, true));
  return { words, tail: bytes.slice(words.length * 4), length: bytes.length };
}

/**
 * Walks JSON text (RFC 8259) as bytes, one value after the other, never recursing. Broken text throws; a value of
 * the wrong type is noted in `problem` and stepped over, so that only the record it is in is lost.
 */
export class JsonLexer {
  bytes: Uint8Array = new Uint8Array(0);
  position = 0;
  end = 0;
  /** The first problem of the current record; '' if none so far. */
  problem = '';
  /** The last string that was read: in `text` from `from` to `to`. */
  text: Uint8Array = this.bytes;
  from = 0;
  to = 0;
  private key = 0;
  private view: DataView = new DataView(this.bytes.buffer);
  private readonly unescaped = new TextBuilder();

  open(bytes: Uint8Array, start: number, end: number): void {
    if (bytes !== this.bytes) this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.bytes = bytes;
    this.position = start;
    this.end = end;
    this.problem = '';
  }

  note(problem: string): void {
    if (this.problem === '') this.problem = problem;
  }

  /** Problems of the next value are reported for this key. */
  about(key: number): void {
    this.key = key;
  }

  /** Steps over white space; answers the byte that follows, and stays before it. */
  peek(): number {
    const { bytes, end } = this;
    for (let at = this.position; at < end; at++) {
      const byte = bytes[at]!;
      if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) {
        this.position = at;
        return byte;
      }
    }
    this.position = end;
    throw new BrokenJson(end, 'the text ends inside a value');
  }

  broken(what: string): never {
    throw new BrokenJson(this.position, what);
  }

  /** Enters an object. Anything else is stepped over: null in silence, another type as a problem. */
  enterObject(): boolean {
    return this.enter(OPEN_BRACE, 'an object');
  }

  /** Enters an array, as {@link enterObject} does. */
  enterArray(): boolean {
    return this.enter(OPEN_BRACKET, 'a list');
  }

  /** The first key of an object just entered; -1 when it is empty. */
  firstKey(): number {
    if (this.peek() !== CLOSE_BRACE) return this.readKey();
    this.position++;
    return -1;
  }

  /** The next key; -1 at the end of the object. */
  nextKey(): number {
    const byte = this.peek();
    if (byte === COMMA) {
      this.position++;
      return this.readKey();
    }
    if (byte !== CLOSE_BRACE) this.broken('expected , or } in an object');
    this.position++;
    return -1;
  }

  /** Whether an array just entered has an element. */
  firstItem(): boolean {
    if (this.peek() !== CLOSE_BRACKET) return true;
    this.position++;
    return false;
  }

  nextItem(): boolean {
    const byte = this.peek();
    this.position++;
    if (byte === COMMA) return true;
    if (byte === CLOSE_BRACKET) return false;
    this.position--;
    return this.broken('expected , or ] in a list');
  }

  /** Whether the text continues with this literal, which is then stepped over. */
  match(literal: Literal): boolean {
    const { position, view } = this;
    const { words, tail, length } = literal;
    if (position + length > this.end) return false;
    let at = position;
    for (let i = 0; i < words.length; i++, at += 4) if (view.getUint32(at, true) !== words[i]) return false;
    for (let i = 0; i < tail.length; i++) if (this.bytes[at + i] !== tail[i]) return false;
    this.position = position + length;
    return true;
  }

  /** Steps over a value of any kind and depth. */
  skipValue(): void {
    const first = this.peek();
    if (first === QUOTE) this.skipString();
    else if (first === OPEN_BRACE || first === OPEN_BRACKET) this.skipNested();
    else this.skipWord();
  }

  /** Reads a string into `text`, `from`, `to`; null is an empty one. */
  readString(): boolean {
    if (this.peek() !== QUOTE) {
      this.from = 0;
      this.to = 0;
      this.refuse('a string');
      return false;
    }
    const { bytes, end } = this;
    const start = this.position + 1;
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.text = bytes;
        this.from = start;
        this.to = at;
        this.position = at + 1;
        return true;
      }
      if (byte === BACKSLASH) return this.readEscaped(start);
    }
    return this.cut();
  }

  /** Reads a string as a JavaScript string. */
  string(): string {
    this.readString();
    return this.from === this.to ? '' : utf8.decode(this.text.subarray(this.from, this.to));
  }

  /** Appends a string value as JSON text; the quote is next. */
  appendString(target: TextBuilder): void {
    const { bytes, end } = this;
    const mark = target.length;
    const buffer = target.reserve(256);
    let to = mark;
    buffer[to++] = QUOTE;
    let at = this.position + 1;
    // Room for what is copied blindly, and for the closing quote.
    const stop = Math.min(end, at + buffer.length - to - 1);
    let byte = 0;
    for (; at < stop; at++) {
      byte = bytes[at]!;
      if (plain[byte] === 0) break;
      buffer[to++] = byte;
    }
    if (at < stop && byte === QUOTE) {
      buffer[to++] = QUOTE;
      target.length = to;
      this.position = at + 1;
      return;
    }
    this.readString();
    appendJsonString(target, this.text, this.from, this.to);
  }

  /** Appends a string value as plain text. */
  appendPlain(target: TextBuilder): void {
    if (this.readString()) appendText(target, this.text, this.from, this.to);
  }

  /** The characters of a number or word; of a string, those inside its quotes. */
  token(): string {
    const first = this.peek();
    if (first === QUOTE) return this.string();
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      this.refuse('a plain value');
      return '';
    }
    const start = this.position;
    this.skipWord();
    return utf8.decode(this.bytes.subarray(start, this.position));
  }

  /** Notes that the value is not what it should be, and steps over it; null passes as absent. */
  refuse(expected: string): void {
    const start = this.position;
    this.skipValue();
    if (this.position - start !== 4 || this.bytes[start] !== 0x6e)
      this.note(`${keyName(this.key) || 'value'} is not ${expected}`);
  }

  /** Notes that the value of the last key cannot be understood. */
  unreadable(token: string): void {
    this.note(`${keyName(this.key) || 'value'} is unreadable: ${token.slice(0, 40)}`);
  }

  private enter(open: number, what: string): boolean {
    if (this.peek() === open) {
      this.position++;
      return true;
    }
    this.refuse(what);
    return false;
  }

  private readKey(): number {
    if (this.peek() !== QUOTE) this.broken('expected a key in an object');
    const { bytes, end } = this;
    const start = this.position + 1;
    let hash = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.position = at + 1;
        this.passColon();
        this.key = findKey(hash, bytes, start, at);
        return this.key;
      }
      if (byte === BACKSLASH) return this.readEscapedKey(start);
      if (byte !== 0x5f) hash = hashByte(hash, byte);
    }
    return this.cut();
  }

  private readEscapedKey(start: number): number {
    this.readEscaped(start);
    let hash = 0;
    for (let i = this.from; i < this.to; i++) if (this.text[i] !== 0x5f) hash = hashByte(hash, this.text[i]!);
    this.passColon();
    this.key = findKey(hash, this.text, this.from, this.to);
    return this.key;
  }

  private passColon(): void {
    if (this.bytes[this.position] !== COLON || this.position >= this.end) {
      if (this.peek() !== COLON) this.broken('expected : after a key');
    }
    this.position++;
  }

  private readEscaped(start: number): boolean {
    const { bytes, end } = this;
    let at = start;
    while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    if (at >= end) return this.cut();
    this.unescaped.length = 0;
    if (!unescapeString(this.unescaped, bytes, start, at)) this.broken('impossible escape in a string');
    this.text = this.unescaped.bytes;
    this.from = 0;
    this.to = this.unescaped.length;
    this.position = at + 1;
    return true;
  }

  private skipString(): void {
    const { bytes, end } = this;
    let at = this.position + 1;
    while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    if (at >= end) this.cut();
    this.position = at + 1;
  }

  private skipNested(): void {
    const { bytes, end } = this;
    let depth = 0;
    for (let at = this.position; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        for (at++; at < end && bytes[at] !== QUOTE; ) at += bytes[at] === BACKSLASH ? 2 : 1;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) {
        this.position = at + 1;
        return;
      }
    }
    this.cut();
  }

  private skipWord(): void {
    const { bytes, end } = this;
    const start = this.position;
    let at = start;
    while (at < end && delimiter[bytes[at]!] === 0) at++;
    if (at === start) this.broken('expected a value');
    this.position = at;
    if (at === end) this.cut();
  }

  private cut(): never {
    this.position = this.end;
    throw new BrokenJson(this.end, 'the text ends inside a value');
  }
}
