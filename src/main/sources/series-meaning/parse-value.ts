/** A decimal number as Go writes it. */
export const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const HEX = /^([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?\d{1,4}))?$/i;

/**
 * A number as Go reads it: NaN, infinities, exponents, hexadecimal floats; undefined otherwise.
 */
export function parseValue(text: string): number | undefined {
  if (NUMBER.test(text)) return Number(text);
  const word = /^([+-]?)(nan|inf|infinity)$/i.exec(text);
  if (word) return word[2]?.toLowerCase() === 'nan' ? Number.NaN : word[1] === '-' ? -Infinity : Infinity;
  const hex = HEX.exec(text);
  if (!hex) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = hex;
  if (whole + fraction === '') return undefined;
  const digits = Number.parseInt(`0${whole}${fraction}`, 16) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -digits : digits;
}
