import { isUtf8 } from 'node:buffer';
import type { TextBuilder } from '../../../model/rows/batch-builder.ts';

/**
 * Writes values as JSON text straight into a text column, as UTF-8 bytes: the attributes of a million spans
 * become one buffer and no JavaScript string.
 */

/** 1 for bytes that need no escape inside a JSON string and no check of UTF-8. */
export const plain = new Uint8Array(256);
for (let byte = 0x20; byte < 0x80; byte++) plain[byte] = 1;
plain[0x22] = 0;
plain[0x5c] = 0;

const encoder = new TextEncoder();
const HEX = encoder.encode('0123456789abcdef');
const BASE64 = encoder.encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const short: Readonly<Record<number, number>> = { 8: 0x62, 9: 0x74, 10: 0x6e, 12: 0x66, 13: 0x72, 34: 0x22, 92: 0x5c };

/** Appends short ASCII text. */
export function appendAscii(text: TextBuilder, ascii: string): void {
  const target = text.reserve(ascii.length);
  let at = text.length;
  for (let i = 0; i < ascii.length; i++) target[at++] = ascii.charCodeAt(i);
  text.length = at;
}

export function appendByte(text: TextBuilder, byte: number): void {
  text.reserve(1)[text.length] = byte;
  text.length++;
}

/** Length of the well-formed UTF-8 sequence at `at`, or 0. */
function sequenceLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const second = at + 1 < end ? bytes[at + 1]! : 0;
  if (lead >= 0xc2 && lead < 0xe0) return (second & 0xc0) === 0x80 ? 2 : 0;
  const third = at + 2 < end ? bytes[at + 2]! : 0;
  if (lead >= 0xe0 && lead < 0xf0) {
    const low = lead === 0xe0 ? 0xa0 : 0x80;
    const high = lead === 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high && (third & 0xc0) === 0x80 ? 3 : 0;
  }
  if (lead >= 0xf0 && lead < 0xf5) {
    const low = lead === 0xf0 ? 0x90 : 0x80;
    const high = lead === 0xf4 ? 0x8f : 0xbf;
    const fourth = at + 3 < end ? bytes[at + 3]! : 0;
    return second >= low && second <= high && (third & 0xc0) === 0x80 && (fourth & 0xc0) === 0x80 ? 4 : 0;
  }
  return 0;
}

/** The store's text is UTF-8: a byte that is not becomes U+FFFD instead of poisoning the column. */
function appendRepaired(text: TextBuilder, bytes: Uint8Array, start: number, end: number, escaped: boolean): void {
  for (let i = start; i < end; ) {
    const target = text.reserve(8);
    let at = text.length;
    const byte = bytes[i]!;
    const length = sequenceLength(bytes, i, end);
    if (length === 0) {
      target[at++] = 0xef;
      target[at++] = 0xbf;
      target[at++] = 0xbd;
      i++;
    } else if (length > 1 || !escaped || plain[byte] === 1) {
      for (let k = 0; k < length; k++) target[at++] = bytes[i++]!;
    } else {
      target[at++] = 0x5c;
      const letter = short[byte];
      if (letter !== undefined) target[at++] = letter;
      else {
        target.set([0x75, 0x30, 0x30, HEX[byte >> 4]!, HEX[byte & 15]!], at);
        at += 5;
      }
      i++;
    }
    text.length = at;
  }
}

/** Appends UTF-8 bytes as a JSON string with its quotes. */
export function appendJsonString(text: TextBuilder, bytes: Uint8Array, start: number, end: number): void {
  let target = text.reserve(end - start + 2);
  let at = text.length;
  target[at++] = 0x22;
  let i = start;
  for (; i < end; i++) {
    const byte = bytes[i]!;
    if (plain[byte] === 0) break;
    target[at++] = byte;
  }
  if (i < end) {
    text.length = at;
    appendRepaired(text, bytes, i, end, true);
    target = text.reserve(1);
    at = text.length;
  }
  target[at++] = 0x22;
  text.length = at;
}

/** Appends UTF-8 bytes as they are, repaired where they are not UTF-8. */
export function appendText(text: TextBuilder, bytes: Uint8Array, start: number, end: number): void {
  if (end - start > 96) {
    const range = bytes.subarray(start, end);
    if (isUtf8(range)) text.appendBytes(range);
    else appendRepaired(text, bytes, start, end, false);
    return;
  }
  const target = text.reserve(end - start);
  let at = text.length;
  let i = start;
  for (; i < end; i++) {
    const byte = bytes[i]!;
    if (byte >= 0x80) break;
    target[at++] = byte;
  }
  text.length = at;
  if (i < end) appendRepaired(text, bytes, i, end, false);
}

/** Appends a non-negative integer. */
export function appendCount(text: TextBuilder, value: number): void {
  if (value > Number.MAX_SAFE_INTEGER) return appendAscii(text, String(BigInt(value)));
  const target = text.reserve(20);
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits++;
  let rest = value;
  for (let at = text.length + digits - 1; at >= text.length; at--) {
    const next = Math.floor(rest / 10);
    target[at] = 0x30 + (rest - next * 10);
    rest = next;
  }
  text.length += digits;
}

/** Appends the int64 whose two halves are given, in full. */
export function appendInt64(text: TextBuilder, low: number, high: number): void {
  if (high >>> 0 < 0x200000) return appendCount(text, (high >>> 0) * 4294967296 + (low >>> 0));
  appendAscii(text, String((BigInt(high | 0) << 32n) | BigInt(low >>> 0)));
}

/** Appends the uint64 whose two halves are given, in full. */
export function appendUint64(text: TextBuilder, low: number, high: number): void {
  if (high >>> 0 < 0x200000) return appendCount(text, (high >>> 0) * 4294967296 + (low >>> 0));
  appendAscii(text, String((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)));
}

/** Appends a double as JSON; values that JSON lacks are strings, as in OTLP/JSON: "NaN", "Infinity", "-Infinity". */
export function appendDouble(text: TextBuilder, value: number): void {
  if (Number.isFinite(value)) {
    if (value >= 0 && value < 9e15 && Number.isInteger(value)) appendCount(text, value);
    else appendAscii(text, String(value));
  } else appendAscii(text, Number.isNaN(value) ? '"NaN"' : value > 0 ? '"Infinity"' : '"-Infinity"');
}

/** Appends bytes as a JSON string of standard base64. */
export function appendBase64(text: TextBuilder, bytes: Uint8Array, start: number, end: number): void {
  const target = text.reserve(Math.ceil((end - start) / 3) * 4 + 2);
  let at = text.length;
  target[at++] = 0x22;
  for (let i = start; i < end; i += 3) {
    const left = end - i;
    const a = bytes[i]!;
    const b = left > 1 ? bytes[i + 1]! : 0;
    const c = left > 2 ? bytes[i + 2]! : 0;
    target[at++] = BASE64[a >> 2]!;
    target[at++] = BASE64[((a & 3) << 4) | (b >> 4)]!;
    target[at++] = left > 1 ? BASE64[((b & 15) << 2) | (c >> 6)]! : 0x3d;
    target[at++] = left > 2 ? BASE64[c & 63]! : 0x3d;
  }
  target[at++] = 0x22;
  text.length = at;
}
