import { fail } from './problem.ts';
import { FIRST_YEAR, LAST_YEAR, type Nanos, nanos } from './time.ts';

/** A reading of a wall clock; months count from 1. */
export interface WallClock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour?: number;
  readonly minute?: number;
  readonly second?: number;
  readonly nanosecond?: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const fixed = /^([+-])(\d{2}):?(\d{2})$/;

/** Whether a zone can be used: `UTC`, `Z`, `+02:00`, or an IANA name such as `Europe/Berlin`. */
export function isZone(zone: string): boolean {
  if (zone === 'UTC' || zone === 'Z' || fixed.test(zone)) return true;
  try {
    formatIn(zone);
    return true;
  } catch {
    return false;
  }
}

function formatIn(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}

/** Minutes that the zone is ahead of UTC at an instant given in milliseconds. */
function offsetMinutes(zone: string, at: number): number {
  if (zone === 'UTC' || zone === 'Z') return 0;
  const match = fixed.exec(zone);
  if (match) return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
  const part: Record<string, number> = {};
  for (const { type, value } of formatIn(zone).formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Math.round((Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000) / 60_000);
}

/**
 * When a wall clock in `zone` showed this. In the hour that a zone repeats in autumn the first pass is meant.
 * @throws ProblemError time.unreadable (no such date), time.out_of_range
 */
export function wallClockToNanos(clock: WallClock, zone: string): Nanos {
  const { year, month, day, hour = 0, minute = 0, second = 0, nanosecond = 0 } = clock;
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR))
    return fail('time.out_of_range', `the year ${year} lies outside ${FIRST_YEAR} to ${LAST_YEAR}`);
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  const valid = new Date(local);
  if (valid.getUTCMonth() !== month - 1 || valid.getUTCDate() !== day || !(hour <= 23) || !(minute <= 59))
    return fail('time.unreadable', `${year}-${month}-${day} ${hour}:${minute} is not a time that exists`);
  // Two steps settle it everywhere but inside a jump, where either side is as good as the other.
  const first = local - offsetMinutes(zone, local) * 60_000;
  const utc = local - offsetMinutes(zone, first) * 60_000;
  return nanos(BigInt(utc) * 1_000_000n + BigInt(nanosecond));
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** 1 for `Jan` or `January` in any case; 0 for anything else. */
export const monthNumber = (name: string): number => months.indexOf(name.slice(0, 3).toLowerCase()) + 1;

/** Digits of a fraction of a second as nanoseconds: `5` is half a second. */
export const fractionToNanoseconds = (digits: string): number => Number(digits.slice(0, 9).padEnd(9, '0'));

const LOCAL = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[Tt ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?)?$/;

/**
 * A numeric date and time without a zone (`2026/07/03 22:10:46.109`, `2012-03-07T14:45`), on a wall clock in `zone`.
 * @throws ProblemError time.unreadable, time.out_of_range
 */
export function parseLocalTime(text: string, zone: string): Nanos {
  const match = LOCAL.exec(text.trim());
  if (!match) return fail('time.unreadable', `cannot read the time "${text}"`);
  return wallClockToNanos(digitsToClock(match.slice(1)), zone);
}

/** Year, month, day, hour, minute, second, fraction, each as the digits that a pattern found; the time of day may be missing. */
export function digitsToClock(digits: readonly (string | undefined)[]): WallClock {
  const [year, month, day, hour = '0', minute = '0', second = '0', fraction = ''] = digits;
  return {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    nanosecond: fractionToNanoseconds(fraction),
  };
}

const RFC_1123 =
  /^(?:[A-Za-z]{3,9},?\s+)?(\d{1,2})[\s-]([A-Za-z]{3,9})[\s-](\d{4})\s+(\d{2}):(\d{2}):(\d{2})\s*(GMT|UTC|Z|[+-]\d{2}:?\d{2})$/;

/**
 * `Sat, 05 Jun 2016 15:10:09 GMT` and `21 Jan 2019 09:00:43 GMT`; a wrong weekday is ignored, it occurs.
 * @throws ProblemError time.unreadable, time.out_of_range
 */
export function parseRfc1123(text: string): Nanos {
  const match = RFC_1123.exec(text.trim());
  const month = monthNumber(match?.[2] ?? '');
  if (!match || month === 0) return fail('time.unreadable', `cannot read the time "${text}"`);
  const [, day, , year, hour, minute, second, zone = 'GMT'] = match;
  return wallClockToNanos(
    {
      year: Number(year),
      month,
      day: Number(day),
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second),
    },
    zone === 'GMT' ? 'UTC' : zone,
  );
}

/**
 * Seconds since 1970 as a decimal text or a number, exact to the nanosecond where the text is.
 * @throws ProblemError time.unreadable, time.out_of_range
 */
export function secondsToNanos(seconds: string | number): Nanos {
  const text = String(seconds).trim();
  const match = /^(-?)(\d{1,10})(?:\.(\d+))?$/.exec(text);
  if (!match) {
    const value = Number(text);
    if (text === '' || !(Math.abs(value) < 9.2e9)) return fail('time.unreadable', `"${text}" is no number of seconds`);
    return nanos(BigInt(Math.round(value * 1e6)) * 1000n);
  }
  const [, sign, whole = '0', fraction = ''] = match;
  const value = BigInt(whole) * 1_000_000_000n + BigInt(fractionToNanoseconds(fraction));
  // Ten digits reach a little further than 64 bits do.
  if (value >= 2n ** 63n) return fail('time.out_of_range', `${text} seconds lie beyond the year ${LAST_YEAR + 1}`);
  return nanos(sign === '-' ? -value : value);
}
