/** Copies text sixteen bytes at a time. What the other side would write otherwise is not copied: answers 0. */

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/** A bit for each of sixteen bytes that is a quote, a backslash, a control character or no ASCII. */
function specials(bytes: v128): u32 {
  return i8x16.bitmask(
    v128.or(
      i8x16.lt_s(bytes, i8x16.splat(0x20)),
      v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c))),
    ),
  );
}

/** Length of the well-formed UTF-8 sequence of several bytes at `at`, or 0 (Unicode, table 3-7). */
function sequenceLength(at: usize): u32 {
  const lead = <u32>load<u8>(at);
  const second = <u32>load<u8>(at, 1);
  if (lead >= 0xc2 && lead < 0xe0) return (second & 0xc0) === 0x80 ? 2 : 0;
  const third = <u32>load<u8>(at, 2);
  if (lead >= 0xe0 && lead < 0xf0) {
    const low: u32 = lead === 0xe0 ? 0xa0 : 0x80;
    const high: u32 = lead === 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high && (third & 0xc0) === 0x80 ? 3 : 0;
  }
  if (lead >= 0xf0 && lead < 0xf5) {
    const low: u32 = lead === 0xf0 ? 0x90 : 0x80;
    const high: u32 = lead === 0xf4 ? 0x8f : 0xbf;
    const fourth = <u32>load<u8>(at, 3);
    return second >= low && second <= high && (third & 0xc0) === 0x80 && (fourth & 0xc0) === 0x80 ? 4 : 0;
  }
  return 0;
}

/** Where the string ended that was copied last: at its closing quote. */
let quote: usize = 0;
export function quoteAt(): usize {
  return quote;
}

/** Copies what lies within quotes as it is, up to the closing one; `escapes`: the usual ones may stand in it. */
export function copyQuoted(from: usize, to: usize, escapes: bool): usize {
  while (true) {
    const bytes = v128.load(from);
    v128.store(to, bytes);
    const mask = specials(bytes);
    if (mask === 0) {
      from += 16;
      to += 16;
      continue;
    }
    const plain = ctz(mask);
    from += plain;
    to += plain;
    const byte = <u32>load<u8>(from);
    if (byte === QUOTE) {
      quote = from;
      return to;
    }
    let length: u32 = 0;
    if (byte >= 0x80) length = sequenceLength(from);
    else if (byte === BACKSLASH && escapes && isShort(<u32>load<u8>(from, 1))) length = 2;
    if (length === 0) return 0;
    store<u32>(to, load<u32>(from));
    from += length;
    to += length;
  }
}

/** The letters after a backslash that JSON text is written with; `/` and `u` may be written otherwise. */
function isShort(letter: u32): bool {
  return (
    letter === QUOTE ||
    letter === BACKSLASH ||
    letter === 0x6e ||
    letter === 0x74 ||
    letter === 0x72 ||
    letter === 0x62 ||
    letter === 0x66
  );
}

/** The letter that stands for a character after a backslash, or 0. */
function shortFor(byte: u32): u32 {
  if (byte === QUOTE || byte === BACKSLASH) return byte;
  if (byte === 0x0a) return 0x6e;
  if (byte === 0x09) return 0x74;
  if (byte === 0x0d) return 0x72;
  if (byte === 0x08) return 0x62;
  return byte === 0x0c ? 0x66 : 0;
}

/** Copies `[from, end)`; `json`: what JSON writes with a backslash gets one. */
export function copyRange(from: usize, end: usize, to: usize, json: bool): usize {
  while (from < end) {
    const bytes = v128.load(from);
    v128.store(to, bytes);
    const mask = specials(bytes);
    const plain: usize = mask === 0 ? 16 : ctz(mask);
    if (from + plain >= end) return to + (end - from);
    from += plain;
    to += plain;
    if (mask === 0) continue;
    const byte = <u32>load<u8>(from);
    if (byte >= 0x80) {
      const length = sequenceLength(from);
      if (length === 0 || from + length > end) return 0;
      store<u32>(to, load<u32>(from));
      from += length;
      to += length;
    } else {
      const letter = shortFor(byte);
      if (letter === 0 && json) return 0;
      if (json) {
        store<u8>(to, 0x5c);
        to++;
      }
      store<u8>(to, json ? letter : byte);
      from++;
      to++;
    }
  }
  return to;
}

/** Writes an integer in decimal digits. */
export function writeInteger(value: i64, to: usize): usize {
  let rest = <u64>value;
  if (value < 0) {
    store<u8>(to, 0x2d);
    to++;
    rest = 0 - rest;
  }
  let digits: usize = 1;
  for (let left = rest; left > 9; left /= 10) digits++;
  for (let at = to + digits - 1; at >= to; at--) {
    const next = rest / 10;
    store<u8>(at, 0x30 + <u32>(rest - next * 10));
    rest = next;
  }
  return to + digits;
}
