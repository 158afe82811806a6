import { resolveOid } from './object-names.ts';
import { bytesValue, NO_VALUE, numberValue, oidValue, type SnmpValue, textValue, ticksValue } from './snmp-value.ts';

/** What net-snmp writes for a missing value; also in the middle of a walk. */
const NOTHING = /^(No Such (Instance|Object)\b|No more variables left|NULL$|Wrong Type \(should be [^)]*\): NULL$)/i;
const LEADING_NUMBER = /^[-+]?\d{1,20}(\.\d{1,20})?/;
/** `-Oq` and `-OQ`: `3:20:12:45.67`, days first. */
const UPTIME = /^(\d{1,6}):(\d{1,2}):(\d{2}):(\d{2})\.(\d{2})$/;

/**
 * A value as snmpwalk and snmptrapd write it: `INTEGER: normal(2)`, `Gauge32: 230 RMS Volts`, `STRING: "…"`,
 * `Timeticks: (1234) 0:00:12.34`, and without types (`-Oq`): `2`, `normal`, `"text"`.
 */
export function readWrittenValue(written: string): SnmpValue {
  const text = written.trim().replace(/^Wrong Type \(should be [^)]*\): /, '');
  if (NOTHING.test(text)) return NO_VALUE;
  const [, type, rest = ''] = /^([A-Za-z][A-Za-z0-9 -]{1,15}):\s?([\s\S]*)$/.exec(text) ?? [];
  const read = type === undefined ? undefined : readers.get(type.toLowerCase());
  return read ? read(rest.trim()) : untyped(text);
}

const readers: ReadonlyMap<string, (text: string) => SnmpValue> = new Map([
  ['integer', integer],
  ['integer32', integer],
  ['unsigned32', integer],
  ['uinteger32', integer],
  ['gauge32', integer],
  ['counter32', integer],
  ['counter64', integer],
  ['timeticks', ticks],
  ['string', (text) => textValue(unquote(text))],
  ['hex-string', hex],
  ['bits', (text) => textValue(text)],
  ['oid', oid],
  ['ipaddress', (text) => textValue(text)],
  ['network address', (text) => textValue(text)],
  ['opaque', (text) => readWrittenValue(text)],
  ['float', (text) => numberValue(Number(LEADING_NUMBER.exec(text)?.[0] ?? Number.NaN))],
]);

/** A decimal point in an integer is the MIB's display hint: the number on the wire has the same digits without it. */
function integer(text: string): SnmpValue {
  const label = /^([\w ./-]*)\((-?\d{1,20})\)/.exec(text);
  if (label) return { kind: 'number', number: Number(label[2]), text: label[1] ?? '' };
  const number = LEADING_NUMBER.exec(text)?.[0];
  return number === undefined ? textValue(text) : numberValue(Number(number.replace('.', '')));
}

function ticks(text: string): SnmpValue {
  const inBrackets = /^\((\d{1,20})\)/.exec(text)?.[1];
  return ticksValue(Number(inBrackets ?? LEADING_NUMBER.exec(text)?.[0] ?? Number.NaN));
}

function hex(text: string): SnmpValue {
  const digits = text.replace(/[\s:]/g, '');
  return /^([0-9a-f]{2})*$/i.test(digits) ? bytesValue(Buffer.from(digits, 'hex')) : textValue(text);
}

function oid(text: string): SnmpValue {
  return oidValue(resolveOid(text) ?? text);
}

function untyped(text: string): SnmpValue {
  const uptime = UPTIME.exec(text);
  if (uptime) {
    const [days = 0, hours = 0, minutes = 0, seconds = 0, hundredths = 0] = uptime.slice(1).map(Number);
    return ticksValue((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 100 + hundredths);
  }
  if (text.startsWith('"')) return textValue(unquote(text));
  // `230 RMS Volts`: a number with its unit from the MIB.
  const withUnit = /^([-+]?\d{1,20})( [A-Za-z0-9.%][\w.% /-]*)?$/.exec(text);
  if (withUnit?.[2]) return { kind: 'number', number: Number(withUnit[1]), text };
  if (/^([0-9A-F]{2} ){3,}[0-9A-F]{2}$/.test(text)) return hex(text);
  if (/^\.1\.3\.|^[A-Z][\w-]*::\w/.test(text)) return oid(text);
  return textValue(text);
}

/** Strings are quoted, with quotes and backslashes inside escaped, unless the MIB has a display hint. */
function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  const end = text.length > 1 && text.endsWith('"') ? text.length - 1 : text.length;
  return text.slice(1, end).replace(/\\(["\\])/g, '$1');
}
