import type { TextBuilder } from '../../../model/rows/batch-builder.ts';

const BACKSLASH = 0x5c;
/** By the letter behind a backslash: what the two stand for; 0: no letter of these. */
const simple = new Uint8Array(256);
for (const [letter, meaning] of Object.entries({ '"': 0x22, '\\': 0x5c, '/': 0x2f, b: 8, f: 12, n: 10, r: 13, t: 9 }))
  simple[letter.charCodeAt(0)] = meaning;

/** Value of a hexadecimal digit, or -1. */
export function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function readUnit(bytes: Uint8Array, at: number, end: number): number {
  if (at + 4 > end) return -1;
  let unit = 0;
  for (let i = 0; i < 4; i++) {
    const digit = hexDigit(bytes[at + i]!);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

function appendCodePoint(target: TextBuilder, point: number): void {
  const { bytes: buffer } = target;
  let at = target.length;
  if (point < 0x80) buffer[at++] = point;
  else if (point < 0x800) {
    buffer[at++] = 0xc0 | (point >> 6);
    buffer[at++] = 0x80 | (point & 0x3f);
  } else if (point < 0x10000) {
    buffer[at++] = 0xe0 | (point >> 12);
    buffer[at++] = 0x80 | ((point >> 6) & 0x3f);
    buffer[at++] = 0x80 | (point & 0x3f);
  } else {
    buffer[at++] = 0xf0 | (point >> 18);
    buffer[at++] = 0x80 | ((point >> 12) & 0x3f);
    buffer[at++] = 0x80 | ((point >> 6) & 0x3f);
    buffer[at++] = 0x80 | (point & 0x3f);
  }
  target.length = at;
}

/** Undoes JSON escapes (RFC 8259, section 7) of `bytes[start .. end)`. False when one is impossible. */
export function unescapeString(target: TextBuilder, bytes: Uint8Array, start: number, end: number): boolean {
  // What is written is never longer than how it is escaped.
  const buffer = target.reserve(end - start);
  for (let at = start; at < end; ) {
    const byte = bytes[at]!;
    if (byte !== BACKSLASH) {
      buffer[target.length++] = byte;
      at++;
      continue;
    }
    const letter = bytes[at + 1]!;
    const plainByte = simple[letter]!;
    if (plainByte !== 0) {
      buffer[target.length++] = plainByte;
      at += 2;
      continue;
    }
    const unit = letter === 0x75 ? readUnit(bytes, at + 2, end) : -1;
    if (unit < 0) return false;
    at += 6;
    const paired = unit >= 0xd800 && unit < 0xdc00 && bytes[at] === BACKSLASH && bytes[at + 1] === 0x75;
    const low = paired ? readUnit(bytes, at + 2, end) : -1;
    if (low >= 0xdc00 && low < 0xe000) {
      appendCodePoint(target, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
      at += 6;
    } else appendCodePoint(target, unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit);
  }
  return true;
}
