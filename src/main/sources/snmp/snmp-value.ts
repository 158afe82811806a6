/**
 * One value of an agent, from any text format. Enumerations that were written by label only are
 * `text`; numbers that an agent sends as strings are `text` with a `number`.
 */
export interface SnmpValue {
  /** `ticks`: hundredths of a second. `none`: the agent reports that the object does not exist. */
  readonly kind: 'number' | 'ticks' | 'text' | 'oid' | 'none';
  /** NaN if it is no number. */
  readonly number: number;
  readonly text: string;
}

const NUMBER = /^[-+]?\d{1,20}(?:\.\d{1,20})?$/;

export const numberValue = (number: number): SnmpValue => ({ kind: 'number', number, text: String(number) });
export const ticksValue = (number: number): SnmpValue => ({ kind: 'ticks', number, text: String(number) });
export const oidValue = (oid: string): SnmpValue => ({ kind: 'oid', number: Number.NaN, text: oid });
export const NO_VALUE: SnmpValue = { kind: 'none', number: Number.NaN, text: '' };

/** A string; agents send numbers as strings ("12.111", "32.000"), which then count as both. */
export function textValue(text: string): SnmpValue {
  const trimmed = text.trim();
  return { kind: 'text', number: NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN, text };
}

/**
 * Octets as text: UTF-8 where they are printable, else hexadecimal pairs with blanks between them; trailing
 * zeros of fixed-length fields are removed.
 */
export function bytesValue(bytes: Uint8Array): SnmpValue {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters distinguish binary from text
    if (!/[\u0000-\u0008\u000e-\u001f\u007f]/.test(text)) return textValue(text);
  } catch {
    // Not UTF-8: shown as hexadecimal.
  }
  return {
    kind: 'text',
    number: Number.NaN,
    text: Buffer.from(bytes)
      .toString('hex')
      .replace(/..(?=.)/g, '$& '),
  };
}
