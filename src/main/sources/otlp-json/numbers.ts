import type { TextBuilder } from '../../../model/rows/batch-builder.ts';
import { hexDigit } from '../bytes/unescape.ts';
import { appendAscii, appendDouble } from '../otlp/json-text.ts';
import { utf8 } from '../otlp/utf8.ts';
import type { JsonLexer } from './lexer.ts';

/**
 * Numbers as OTLP/JSON writes them: 64-bit integers as decimal strings or bare numbers, doubles as numbers or as
 * "NaN", "Infinity", "-Infinity", enumerations as numbers or names, ids as hexadecimal or, from Tempo, base64.
 */

const QUOTE = 0x22;
const MAX_U64 = 2n ** 64n - 1n;
// Largest integers and powers of ten that doubles hold exactly: one division of the two rounds correctly.
const MAX_EXACT_DIGITS = 15;
const powers = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/** Reads an unsigned 64-bit integer into two places of `halves`, all digits kept. */
export function readUint64(lexer: JsonLexer, halves: Uint32Array, place: number): void {
  const quoted = lexer.peek() === QUOTE;
  const { bytes, end } = lexer;
  const start = lexer.position + (quoted ? 1 : 0);
  let at = start;
  let leading = 0;
  let rest = 0;
  for (; at < end; at++) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) break;
    if (at - start < 10) leading = leading * 10 + digit;
    else rest = rest * 10 + digit;
  }
  const digits = at - start;
  const next = bytes[at];
  const closed = quoted
    ? next === QUOTE
    : next === 0x2c || next === 0x7d || next === 0x20 || next === 0x0a || next === 0x0d;
  if (at >= end || !closed || digits === 0 || digits > 19) return readUint64Slowly(lexer, halves, place);
  lexer.position = quoted ? at + 1 : at;
  if (digits <= 10) {
    halves[place] = leading;
    halves[place + 1] = leading / 4294967296;
    return;
  }
  // leading * scale + rest in two 32-bit halves; every intermediate stays below 2^53.
  const scale = powers[digits - 10]!;
  const low = (leading & 0xffff) * scale + rest;
  const upper = ((leading - (leading & 0xffff)) / 65536) * scale;
  const middle = (upper % 65536) * 65536 + low;
  halves[place] = middle % 4294967296;
  halves[place + 1] = (upper - (upper % 65536)) / 65536 + Math.floor(middle / 4294967296);
}

function readUint64Slowly(lexer: JsonLexer, halves: Uint32Array, place: number): void {
  const token = lexer.token().trim();
  if (token === 'null' || token === '') return;
  const value = integerOf(token);
  if (value === undefined || value < 0n || value > MAX_U64) return lexer.unreadable(token);
  halves[place] = Number(value & 0xffffffffn);
  halves[place + 1] = Number(value >> 32n);
}

/** The integer a token spells, also as `1.5e3` or `12.0`; undefined when it spells none. */
function integerOf(token: string): bigint | undefined {
  if (/^-?\d+$/.test(token)) return BigInt(token);
  const value = /^-?\d[\d.]*(e[+-]?\d+)?$/i.test(token) ? Number(token) : Number.NaN;
  return Number.isInteger(value) ? BigInt(value) : undefined;
}

/** Reads a double; `absent` for null, NaN with a problem for what is no number. */
export function readDouble(lexer: JsonLexer, absent: number): number {
  const quoted = lexer.peek() === QUOTE;
  const { bytes, end } = lexer;
  let at = lexer.position + (quoted ? 1 : 0);
  const negative = bytes[at] === 0x2d;
  if (negative) at++;
  let mantissa = 0;
  let digits = 0;
  let decimals = -1;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === 0x2e && decimals < 0) decimals = 0;
    else if (byte >= 0x30 && byte <= 0x39) {
      mantissa = mantissa * 10 + byte - 0x30;
      digits++;
      if (decimals >= 0) decimals++;
    } else break;
  }
  const next = bytes[at];
  const closed = quoted
    ? next === QUOTE
    : next === 0x2c || next === 0x7d || next === 0x5d || next === 0x20 || next === 0x0a || next === 0x0d;
  if (at >= end || !closed || digits === 0 || digits > MAX_EXACT_DIGITS) return readDoubleSlowly(lexer, absent);
  lexer.position = quoted ? at + 1 : at;
  const value = decimals > 0 ? mantissa / powers[decimals]! : mantissa;
  return negative ? -value : value;
}

function readDoubleSlowly(lexer: JsonLexer, absent: number): number {
  const token = lexer.token();
  if (token === 'null' || token === '') return absent;
  const value = Number(token);
  // Number() also takes hexadecimal, which JSON does not know.
  if (Number.isNaN(value) ? token !== 'NaN' : /^[+-]?0[xob]/i.test(token)) lexer.unreadable(token);
  return value;
}

/** Reads a 32-bit count or bit field. */
export function readUint32(lexer: JsonLexer): number {
  const value = readDouble(lexer, 0);
  if (value >= 0 && value <= 0xffffffff && Number.isInteger(value)) return value;
  lexer.unreadable(String(value));
  return 0;
}

/** Reads a signed 32-bit integer. */
export function readInt32(lexer: JsonLexer): number {
  const value = readDouble(lexer, 0);
  if ((value | 0) === value) return value;
  lexer.unreadable(String(value));
  return 0;
}

/** Reads an enumeration: a number, or a name that ends in one of `names` (`SPAN_KIND_SERVER`). */
export function readEnum(lexer: JsonLexer, names: readonly string[]): number {
  const first = lexer.peek();
  if (first >= 0x30 && first <= 0x39) {
    const value = readUint32(lexer);
    return value < names.length ? value : 0;
  }
  const token = lexer.token().toUpperCase();
  if (token === 'NULL' || token === '') return 0;
  if (/^\d+$/.test(token)) return Number(token) < names.length ? Number(token) : 0;
  const found = names.findIndex((name) => token === name || token.endsWith(`_${name}`));
  if (found < 0) lexer.unreadable(token);
  return Math.max(found, 0);
}

export function readBoolean(lexer: JsonLexer): boolean {
  const token = lexer.token();
  if (token === 'true' || token === '1') return true;
  if (token !== 'false' && token !== 'null' && token !== '0' && token !== '') lexer.unreadable(token);
  return false;
}

/** Appends an int64 value as JSON integer text, all digits kept. */
export function appendInteger(lexer: JsonLexer, target: TextBuilder): void {
  const quoted = lexer.peek() === QUOTE;
  const { bytes, end } = lexer;
  const start = lexer.position + (quoted ? 1 : 0);
  let at = start;
  if (bytes[at] === 0x2d) at++;
  const firstDigit = at;
  while (at < end && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++;
  const next = bytes[at];
  const closed = quoted
    ? next === QUOTE
    : next === 0x2c || next === 0x7d || next === 0x20 || next === 0x0a || next === 0x0d;
  const isShort = at - firstDigit >= 1 && at - firstDigit <= 18 && (bytes[firstDigit] !== 0x30 || at - start === 1);
  if (at < end && closed && isShort) {
    target.appendBytes(bytes.subarray(start, at));
    lexer.position = quoted ? at + 1 : at;
    return;
  }
  const token = lexer.token();
  const value = integerOf(token);
  if (value !== undefined) return appendAscii(target, String(value));
  appendAscii(target, 'null');
  if (token !== 'null') lexer.unreadable(token);
}

/** Appends a double value as JSON. */
export const appendDoubleValue = (lexer: JsonLexer, target: TextBuilder): void =>
  appendDouble(target, readDouble(lexer, Number.NaN));

const base64Digits = new Int8Array(256).fill(-1);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach((letter, value) => {
  base64Digits[letter.charCodeAt(0)] = value;
});
const idBytes = new Uint8Array(18);

/** Fills `idBytes` from base64; false when a digit is none. */
function decodeBase64Id(lexer: JsonLexer, digits: number): boolean {
  let bits = 0;
  let bitCount = 0;
  let size = 0;
  for (let i = 0; i < digits; i++) {
    const value = base64Digits[lexer.text[lexer.from + i]!]!;
    if (value < 0) return false;
    bits = (bits << 6) | value;
    bitCount += 6;
    if (bitCount >= 8) {
      bitCount -= 8;
      idBytes[size++] = (bits >> bitCount) & 0xff;
    }
  }
  return true;
}

function decodeHexId(lexer: JsonLexer, size: number): boolean {
  const { text, from } = lexer;
  for (let i = 0; i < size; i++) {
    const high = hexDigit(text[from + 2 * i]!);
    const low = hexDigit(text[from + 2 * i + 1]!);
    if (high < 0 || low < 0) return false;
    idBytes[i] = (high << 4) | low;
  }
  return true;
}

/** Reads a trace id (16 bytes) or span id (8) into `halves`; absent or empty is 0. Its length distinguishes hex from base64. */
export function readId(lexer: JsonLexer, halves: Uint32Array, place: number, size: 8 | 16): void {
  if (!lexer.readString()) return;
  const length = lexer.to - lexer.from;
  if (length === 0) return;
  const padding = size === 16 ? 2 : 1;
  const digits = Math.ceil((size * 4) / 3);
  const padded =
    length === digits + padding && lexer.text[lexer.to - 1] === 0x3d && lexer.text[lexer.to - padding] === 0x3d;
  const good =
    length === size * 2 ? decodeHexId(lexer, size) : (padded || length === digits) && decodeBase64Id(lexer, digits);
  if (!good) {
    const text = utf8.decode(lexer.text.subarray(lexer.from, Math.min(lexer.to, lexer.from + 48)));
    return lexer.note(`${size === 16 ? 'trace' : 'span'} id is not ${size * 2} hexadecimal digits: ${text}`);
  }
  for (let i = 0; i < size; i += 8) {
    const at = place + i / 4;
    halves[at + 1] = (idBytes[i]! << 24) | (idBytes[i + 1]! << 16) | (idBytes[i + 2]! << 8) | idBytes[i + 3]!;
    halves[at] = (idBytes[i + 4]! << 24) | (idBytes[i + 5]! << 16) | (idBytes[i + 6]! << 8) | idBytes[i + 7]!;
  }
}
