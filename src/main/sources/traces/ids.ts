/** A trace or span id as the tables hold it; spans use `lo` alone. */
export interface Id {
  readonly hi: bigint;
  readonly lo: bigint;
  /** False when the text was no id of OpenTelemetry's kind and was hashed to the width of one. */
  readonly exact: boolean;
}

const MASK = 0xffff_ffff_ffff_ffffn;

/** Hex digits as 128 bits, shorter ones padded on the left; anything else is hashed. Undefined: empty or all zero. */
export const traceId = (text: unknown): Id | undefined => idOf(text, 32);

/** Hex digits as 64 bits; see {@link traceId}. */
export const spanId = (text: unknown): Id | undefined => idOf(text, 16);

function idOf(text: unknown, digits: number): Id | undefined {
  if (typeof text !== 'string' || text === '' || text.length > 1_000) return undefined;
  if (text.length > digits || !/^[0-9a-f]+$/i.test(text))
    return { hi: digits === 32 ? contentId(`${text}#`) : 0n, lo: contentId(text), exact: false };
  const value = BigInt(`0x${text}`);
  return value === 0n ? undefined : { hi: value >> 64n, lo: value & MASK, exact: true };
}

const scratch = new DataView(new ArrayBuffer(8));

/**
 * 64 bits that depend on a text and nothing else, never 0: the same record gets the same id in every file and on every
 * import. Two 32-bit lanes of multiply and rotate (the finaliser is MurmurHash3's, Appleby, public domain).
 */
export function contentId(text: string): bigint {
  let a = 0x9e3779b9 ^ text.length;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0xcc9e2d51);
    a = (a << 13) | (a >>> 19);
    b = Math.imul(b ^ unit, 0x1b873593);
    b = (b << 17) | (b >>> 15);
  }
  scratch.setUint32(0, mix(a ^ Math.imul(b, 5)));
  scratch.setUint32(4, mix(b ^ Math.imul(a, 3)));
  return scratch.getBigUint64(0) || 1n;
}

function mix(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
