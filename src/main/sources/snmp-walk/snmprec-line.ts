import {
  bytesValue,
  NO_VALUE,
  numberValue,
  oidValue,
  type SnmpValue,
  textValue,
  ticksValue,
} from '../snmp/snmp-value.ts';
import { SNMPREC_LINE, type Tag, tags } from './format.ts';

/** One line of a recording, or the reason why it is not one. */
export function readSnmprecLine(line: string): { readonly oid: string; readonly value: SnmpValue } | string {
  const match = SNMPREC_LINE.exec(line);
  if (!match) return 'not of the form OID|tag|value';
  const [, oid = '', tag = '', written = ''] = match;
  const [, number = '', encoding = ''] = /^(\d{1,3})([xe]?)$/.exec(tag) ?? [];
  // `2:numeric|rate=100` makes the simulator generate values.
  if (number === '') return `the tag "${tag}" is no plain type, so this is no recorded value`;
  const type = Object.hasOwn(tags, number) ? tags[Number(number) as Tag] : undefined;
  if (type === undefined) return `the tag "${tag}" is no type of SNMP`;
  const value = decode(type, encoding, written);
  return typeof value === 'string' ? value : { oid, value };
}

function decode(type: (typeof tags)[Tag], encoding: string, written: string): SnmpValue | string {
  if (type === 'none') return NO_VALUE;
  if (encoding !== '') {
    const bytes = encoding === 'x' ? fromHex(written) : fromEscapes(written);
    if (!bytes) return 'the value is not hexadecimal';
    return type === 'address' && bytes.length === 4 ? textValue([...bytes].join('.')) : bytesValue(bytes);
  }
  if (type === 'text' || type === 'address') return textValue(written);
  if (type === 'oid') return oidValue(written.trim().replace(/^\./, ''));
  const trimmed = written.trim();
  const number = Number(trimmed);
  if (trimmed === '' || !Number.isFinite(number)) return 'the value is no number';
  return type === 'ticks' ? ticksValue(number) : numberValue(number);
}

const fromHex = (text: string): Uint8Array | undefined =>
  /^(0x)?([0-9a-f]{2})*$/i.test(text.trim()) ? Buffer.from(text.trim().replace(/^0x/i, ''), 'hex') : undefined;

/** `\xc0` is a byte; all other characters are literal. */
const fromEscapes = (text: string): Uint8Array =>
  Buffer.concat(
    text
      .split(/(\\x[0-9a-f]{2})/i)
      .map((part) => (/^\\x[0-9a-f]{2}$/i.test(part) ? Buffer.from(part.slice(2), 'hex') : Buffer.from(part))),
  );
