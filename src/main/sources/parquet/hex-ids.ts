import type { TextColumn } from '../../../model/rows.ts';

/** Hexadecimal digits of 64 bits. */
const DIGITS = 16;

/** Value of a byte as a digit; 255: it is none. */
const digits = new Uint8Array(256).fill(255);
for (let value = 0; value < DIGITS; value++)
  for (const digit of new Set([value.toString(16), value.toString(16).toUpperCase()]))
    digits[digit.charCodeAt(0)] = value;

/**
 * Reads ids of hexadecimal text into as many columns of 64 bits as they have halves, highest first. A row whose text
 * is no whole id, or where it must not be, one of zeros only, is cleared in `plain`.
 */
export function readHexIds(
  { bytes, offsets }: TextColumn,
  { halves, optional }: { readonly halves: readonly BigUint64Array[]; readonly optional: boolean },
  plain: Uint8Array,
): void {
  const words = halves.map(({ buffer, byteOffset, length }) => new Uint32Array(buffer, byteOffset, length * 2));
  const length = halves.length * DIGITS;
  for (let row = 0; row + 1 < offsets.length; row++) {
    const start = offsets[row] as number;
    const given = (offsets[row + 1] as number) - start;
    let [seen, wrong] = [0, 0];
    for (let half = 0; half < words.length; half++) {
      const target = words[half] as Uint32Array;
      let [high, low] = [0, 0];
      for (let at = start + half * DIGITS, end = at + 8; given === length && at < end; at++) {
        const first = digits[bytes[at] as number] as number;
        const second = digits[bytes[at + 8] as number] as number;
        wrong |= first | second;
        high = (high << 4) | first;
        low = (low << 4) | second;
      }
      target[row * 2 + 1] = high;
      target[row * 2] = low;
      seen |= high | low;
    }
    const isGood = given === length ? wrong < DIGITS && (optional || seen !== 0) : optional && given === 0;
    if (!isGood) plain[row] = 0;
  }
}
