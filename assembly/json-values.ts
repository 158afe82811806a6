import { writeDecimal } from './host';
import { goTo, noteBad, peek, position } from './reading';
import { KEYS } from './rows';
import { copyQuoted, quoteAt } from './text';

/**
 * Values of JSON text, each read as it is usually written. Every function starts at the present place, moves it past what it
 * has read, and answers false (or notes it) when the text is anything else, be it right or wrong.
 */

const QUOTE: u32 = 0x22;

/** Steps over white space; answers the byte that follows. */
export function next(): u32 {
  let byte = peek();
  while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
    goTo(position() + 1);
    byte = peek();
  }
  return byte;
}

/** Whether this byte is next, which is then stepped over with the white space before it. */
export function pass(byte: u32): bool {
  if (next() !== byte) return false;
  goTo(position() + 1);
  return true;
}

/** Number of a key, which ends with its colon and the white space after it; 0 when it is none of ours. */
export function key(): u32 {
  if (next() !== QUOTE) return 0;
  const from = position() + 1;
  const quotes = i8x16.splat(0x22);
  const low = v128.load(from);
  const high = v128.load(from, 16);
  const ends = i8x16.bitmask(i8x16.eq(low, quotes)) | (i8x16.bitmask(i8x16.eq(high, quotes)) << 16);
  if (ends === 0) return 0;
  const length = ctz(ends);
  const wanted = (1 << length) - 1;
  for (let slot = slotOf(length, <u32>load<u8>(from), <u32>load<u8>(from + length - 1)); ; slot = (slot + 1) & 63) {
    const entry: usize = KEYS + slot * 40;
    const known = load<u32>(entry, 32);
    if (known === 0) return 0;
    if (known !== length) continue;
    const same =
      i8x16.bitmask(i8x16.eq(low, v128.load(entry))) | (i8x16.bitmask(i8x16.eq(high, v128.load(entry, 16))) << 16);
    if ((same & wanted) !== wanted) continue;
    goTo(from + length + 1);
    if (!pass(0x3a)) return 0;
    next();
    return load<u32>(entry, 36);
  }
}

function slotOf(length: u32, first: u32, last: u32): u32 {
  return (length * 7 + first * 3 + last) & 63;
}

/** Makes a key known: its text, of at most 31 bytes, lies at `from`. */
export function addKey(from: usize, length: u32, id: u32): void {
  let slot = slotOf(length, <u32>load<u8>(from), <u32>load<u8>(from + length - 1));
  while (load<u32>(KEYS + slot * 40, 32) !== 0) slot = (slot + 1) & 63;
  const entry: usize = KEYS + slot * 40;
  memory.copy(entry, from, length);
  store<u32>(entry, length, 32);
  store<u32>(entry, id, 36);
}

/** A list or object that holds nothing: `open` and then `close`. */
export function nothing(open: u32, close: u32): bool {
  return pass(open) && pass(close);
}

export function emptyString(): bool {
  const empty = load<u16>(position()) === 0x2222;
  goTo(position() + 2);
  return empty;
}

/** Copies a string with its quotes to `to`; answers where it ends there, or 0. */
export function copyString(to: usize): usize {
  if (peek() !== QUOTE) return 0;
  store<u8>(to, 0x22);
  const end = copyQuoted(position() + 1, to + 1, true);
  if (end === 0) return 0;
  store<u8>(end, 0x22);
  goTo(quoteAt() + 1);
  return end + 1;
}

/** Copies what stands in a string without escapes. */
export function copyPlain(to: usize): usize {
  if (peek() !== QUOTE) return 0;
  const end = copyQuoted(position() + 1, to, false);
  if (end !== 0) goTo(quoteAt() + 1);
  return end;
}

/** Steps over a string without escapes and control characters; answers where its characters end, or 0. */
export function passString(): usize {
  if (peek() !== QUOTE) return 0;
  goTo(position() + 1);
  while (true) {
    const bytes = v128.load(position());
    const ends = v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c)));
    const mask = i8x16.bitmask(v128.or(ends, i8x16.lt_u(bytes, i8x16.splat(0x20))));
    goTo(position() + (mask === 0 ? 16 : ctz(mask)));
    if (mask !== 0) break;
  }
  if (peek() !== QUOTE) return 0;
  goTo(position() + 1);
  return position() - 1;
}

/** Sixteen hexadecimal digits. */
function digits16(from: usize): u64 {
  const bytes = v128.load(from);
  const digit = i8x16.sub(bytes, i8x16.splat(0x30));
  const letter = i8x16.sub(v128.or(bytes, i8x16.splat(0x20)), i8x16.splat(0x61));
  const isDigit = i8x16.lt_u(digit, i8x16.splat(10));
  if (i8x16.bitmask(v128.or(isDigit, i8x16.lt_u(letter, i8x16.splat(6)))) !== 0xffff) noteBad();
  const nibbles = v128.bitselect(digit, i8x16.add(letter, i8x16.splat(10)), isDigit);
  // Pairs of nibbles, the first one of which is the higher: one byte each, the first byte the most significant.
  const pairs = v128.or(v128.and(i16x8.shl(nibbles, 4), i16x8.splat(0xff)), i16x8.shr_u(nibbles, 8));
  return bswap<u64>(v128.extract_lane<u64>(i8x16.narrow_i16x8_u(pairs, pairs), 0));
}

/** An id of eight bytes as hexadecimal digits; an empty one is 0. */
export function spanId(): u64 {
  if (load<u16>(position()) === 0x2222) {
    goTo(position() + 2);
    return 0;
  }
  if (peek() !== QUOTE || <u32>load<u8>(position(), 17) !== QUOTE) noteBad();
  goTo(position() + 18);
  return digits16(position() - 17);
}

/** The first half of a trace id of 32 hexadecimal digits; its second half is that at 16 digits more. */
export function traceIdHigh(): u64 {
  if (peek() !== QUOTE || <u32>load<u8>(position(), 33) !== QUOTE) noteBad();
  return digits16(position() + 1);
}

export function traceIdLow(): u64 {
  goTo(position() + 34);
  return digits16(position() - 17);
}

function areDigits(chars: u64): bool {
  return (chars & (chars + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) === 0x3030303030303030;
}

/** Eight digits at once: pairs, then fours, then all are added up. */
function eightDigits(chars: u64): u64 {
  let value = chars - 0x3030303030303030;
  value = value * 10 + (value >> 8);
  return (
    ((value & 0x000000ff000000ff) * 0x000f424000000064 + ((value >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >>
    32
  );
}

/** An unsigned integer of at most 19 digits, in quotes or not. */
export function unsigned(): u64 {
  const quoted = peek() === QUOTE;
  if (quoted) goTo(position() + 1);
  const from = position();
  let value: u64 = 0;
  while (position() - from < 16 && areDigits(load<u64>(position()))) {
    value = value * 100000000 + eightDigits(load<u64>(position()));
    goTo(position() + 8);
  }
  for (let digit = peek() - 0x30; digit <= 9 && position() - from < 20; digit = peek() - 0x30) {
    value = value * 10 + digit;
    goTo(position() + 1);
  }
  if (position() === from || position() - from > 19 || (quoted && peek() !== QUOTE)) noteBad();
  if (quoted) goTo(position() + 1);
  return value;
}

/** One digit, at most `most`. */
export function digit(most: u32): u32 {
  const value = peek() - 0x30;
  if (value > most) noteBad();
  goTo(position() + 1);
  return value;
}

/** Copies an integer of at most 18 digits, in quotes or not, that is written as JSON writes it. */
export function copyInteger(to: usize): usize {
  const quoted = peek() === QUOTE;
  if (quoted) goTo(position() + 1);
  const from = position();
  if (peek() === 0x2d) goTo(position() + 1);
  const first = position();
  while (peek() - 0x30 <= 9) goTo(position() + 1);
  const length = position() - from;
  if (position() === first || position() - first > 18 || (<u32>load<u8>(first) === 0x30 && length > 1)) return 0;
  v128.store(to, v128.load(from));
  store<u32>(to, load<u32>(from, 16), 16);
  if (quoted) {
    if (peek() !== QUOTE) return 0;
    goTo(position() + 1);
  }
  return to + length;
}

export function copyDecimal(to: usize): usize {
  const from = position();
  let byte = peek();
  while (byte - 0x30 <= 9 || byte === 0x2e || byte === 0x2d || byte === 0x2b || (byte | 0x20) === 0x65) {
    goTo(position() + 1);
    byte = peek();
  }
  return position() === from ? 0 : writeDecimal(from, position(), to);
}

export function copyBoolean(to: usize): usize {
  const word = load<u32>(position());
  store<u32>(to, word);
  // `true`, `fals`
  if (word === 0x65757274) {
    goTo(position() + 4);
    return to + 4;
  }
  if (word !== 0x736c6166 || <u32>load<u8>(position(), 4) !== 0x65) return 0;
  store<u8>(to, 0x65, 4);
  goTo(position() + 5);
  return to + 5;
}
