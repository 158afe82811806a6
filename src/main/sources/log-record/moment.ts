import { digitsToClock, fractionToNanoseconds, type WallClock } from '../../../model/local-time.ts';
import type { TimeUnit } from '../../../model/storage/source.ts';
import type { OpenDate } from './open-date.ts';

/**
 * When a record was written: ns since 1970, or a wall clock in a zone that the record does not name (year 0: nor the year), whose date may
 * be numbers of unknown order.
 */
export type Moment = bigint | WallClock | OpenDate;

const ISO = /^(\d{4})-(\d{2})-(\d{2})[Tt _](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,12}))? ?(Z|z|UTC|[+-]\d{2}:?\d{2})?$/;
const ZONE = /^([+-])(\d{2}):?(\d{2})$/;
const LIMIT = 9_223_372_036;

/** A date and time in the form of ISO 8601; undefined: something else, or no date that exists. */
export function readIsoTime(text: string): Moment | undefined {
  if (text.charCodeAt(4) !== 0x2d) return undefined;
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone] = match;
  if (zone === undefined) return digitsToClock([year, month, day, hour, minute, second, fraction.slice(0, 9)]);
  const utc = Date.UTC(+year!, +month! - 1, +day!, +hour!, +minute!, +second!);
  if (+month! > 12 || +day! > 31 || +hour! > 23 || +minute! > 59 || !(Math.abs(utc) < LIMIT * 1000)) return undefined;
  return BigInt(utc - offsetOf(zone)) * 1_000_000n + BigInt(fractionToNanoseconds(fraction));
}

/** Milliseconds that a zone is ahead of UTC. */
function offsetOf(zone: string): number {
  const match = ZONE.exec(zone);
  return match ? (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) * 60_000 : 0;
}

/**
 * A count since 1970 in the unit that its size shows: 10 digits are seconds, 13 milliseconds, 16 microseconds, 19 nanoseconds, each
 * perhaps with a fraction. undefined: too small or too large for a recording (before 2001).
 */
export function readEpoch(value: number | string | bigint): bigint | undefined {
  const match = /^(\d{10,19})(?:\.(\d{1,12}))?$/.exec(String(value));
  if (!match) return undefined;
  const [, digits = '', fraction = ''] = match;
  const power = digits.length <= 11 ? 9 : digits.length <= 14 ? 6 : digits.length <= 17 ? 3 : 0;
  const time = BigInt(digits + fraction.slice(0, power).padEnd(power, '0'));
  return time < 2n ** 63n ? time : undefined;
}

/** The time in a field of a structured record: ISO text, a count since 1970, or an object of seconds and nanos. */
export function readTimeValue(value: unknown): Moment | undefined {
  if (typeof value === 'string') return readIsoTime(value) ?? readEpoch(value);
  if (typeof value === 'number' || typeof value === 'bigint') return readEpoch(value);
  return undefined;
}

const digitsOf = { s: 9, ms: 6, us: 3, ns: 0 } as const;

/** A count since 1970 in a unit that is known, ns; undefined: no number, or out of range. */
export function countOf(value: unknown, unit: TimeUnit): bigint | undefined {
  const match = /^(\d{1,19})(?:\.(\d{1,12}))?$/.exec(String(value));
  const places = digitsOf[unit];
  const time = match ? BigInt(match[1]! + (match[2] ?? '').slice(0, places).padEnd(places, '0')) : undefined;
  return time !== undefined && time < 2n ** 63n ? time : undefined;
}
