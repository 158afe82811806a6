import type { TextBuilder } from '../../../../model/rows/batch-builder.ts';
import { utf8 } from '../../otlp/utf8.ts';
import { KIND } from './kind.ts';

const BACKSLASH = 0x5c;
/** Longer ranges are copied by the engine. */
const SHORT = 80;

/** 1 for the letters behind a backslash where `JSON.stringify` escapes as well: `"`, `\`, b, f, n, r, t. */
const usual = new Uint8Array(256);
for (const letter of '"\\bfnrt') usual[letter.charCodeAt(0)] = 1;

/** A value of a line as JSON text; undefined: it is none. */
export function jsonOf(bytes: Uint8Array, start: number, end: number, kind: number): unknown {
  const isText = kind === KIND.text || kind === KIND.escaped;
  try {
    return JSON.parse(utf8.decode(bytes.subarray(isText ? start - 1 : start, isText ? end + 1 : end)));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Appends a value as `JSON.stringify` would write it again; false: it is no JSON. */
export function appendValue(target: TextBuilder, bytes: Uint8Array, start: number, end: number, kind: number): boolean {
  if (kind === KIND.text || (kind === KIND.escaped && isUsual(bytes, start, end))) {
    appendRange(target, bytes, start - 1, end + 1);
    return true;
  }
  if (kind === KIND.count || kind === KIND.decimal || kind === KIND.word || kind === KIND.compact) {
    appendRange(target, bytes, start, end);
    return true;
  }
  const value = jsonOf(bytes, start, end, kind);
  if (value === undefined) return false;
  try {
    target.append(JSON.stringify(value));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
  return true;
}

/** Appends bytes of a line. */
export function appendRange(target: TextBuilder, bytes: Uint8Array, start: number, end: number): void {
  if (end - start > SHORT) return target.appendBytes(bytes.subarray(start, end));
  const buffer = target.reserve(end - start);
  let to = target.length;
  for (let at = start; at < end; at++) buffer[to++] = bytes[at]!;
  target.length = to;
}

/** Whether all escapes of a string are those that would be written again. */
export function isUsual(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (bytes[at] !== BACKSLASH) continue;
    at++;
    if (usual[bytes[at]!] === 0) return false;
  }
  return true;
}

/** Whether so many bytes are hexadecimal digits. */
export function isHex(bytes: Uint8Array, start: number, digits: number): boolean {
  for (let at = start; at < start + digits; at++) if (hexValue[bytes[at]!]! > 15) return false;
  return true;
}

const hexValue = new Uint8Array(256).fill(16);
for (let digit = 0; digit < 16; digit++) {
  hexValue[digit.toString(16).charCodeAt(0)] = digit;
  hexValue[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

/** Eight hexadecimal digits as a number. */
export function hexWord(bytes: Uint8Array, start: number): number {
  let value = 0;
  for (let at = start; at < start + 8; at++) value = (value << 4) | hexValue[bytes[at]!]!;
  return value >>> 0;
}
