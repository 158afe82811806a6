import { fail } from './problem.ts';

declare const nanosBrand: unique symbol;
/**
 * Nanoseconds since 1970-01-01T00:00:00Z. A bigint at the edges, because doubles step by 256 ns at
 * today's epoch; hot paths use Float64Array offsets from a stated origin instead.
 */
export type Nanos = bigint & { readonly [nanosBrand]: true };

export const nanos = (value: bigint): Nanos => value as Nanos;
const NANOS_PER_MILLISECOND = 1_000_000n;

/** Seconds between two instants, exact to the double's 53 bits of the difference. */
export const secondsBetween = (from: Nanos, to: Nanos): number => Number(to - from) / 1e9;

/** A duration in seconds as whole nanoseconds. */
export const nanoseconds = (seconds: number): bigint => BigInt(Math.round(seconds * 1e9));

// Seconds may be left out, as people do who type a window; what recorders write has them.
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9})\d*)?)?\s*([Zz]|[+-]\d{2}:?\d{2})?$/;

/** Whole years that 64-bit nanoseconds since 1970 can name. */
export const FIRST_YEAR = 1678;
export const LAST_YEAR = 2261;

/**
 * Reads an RFC 3339 time. A time without a zone is refused, because guessing one moves the event by
 * hours and turns effects into causes.
 * @throws ProblemError `time.no_zone`, `time.unreadable` or `time.out_of_range`
 */
export function parseTime(text: string, place?: string): Nanos {
  const where = place === undefined ? {} : { place };
  const match = ISO.exec(text.trim());
  if (!match) {
    return fail('time.unreadable', `cannot read the time "${text}"`, {
      ...where,
      hint: 'write it as 2024-01-15T14:32:01.000Z',
    });
  }
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone] = match;
  if (zone === undefined) {
    return fail('time.no_zone', `the time "${text}" has no time zone`, {
      ...where,
      hint: 'add Z or an offset such as +02:00; Faultline never guesses a zone',
    });
  }
  if (+`${year}` < FIRST_YEAR || +`${year}` > LAST_YEAR) {
    return fail('time.out_of_range', `the time "${text}" is outside ${FIRST_YEAR} to ${LAST_YEAR}`, {
      ...where,
      hint: 'no recording is that old or new; a zero or maximum time usually means "not set"',
    });
  }
  const utc = Date.UTC(+`${year}`, +`${month}` - 1, +`${day}`, +`${hour}`, +`${minute}`, +`${second}`);
  const valid = new Date(utc);
  if (valid.getUTCMonth() !== +`${month}` - 1 || valid.getUTCDate() !== +`${day}` || +`${hour}` > 23) {
    return fail('time.unreadable', `"${text}" is not a date that exists`, where);
  }
  return nanos(BigInt(utc - offsetMilliseconds(zone)) * NANOS_PER_MILLISECOND + BigInt(fraction.padEnd(9, '0')));
}

function offsetMilliseconds(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  const digits = zone.slice(1).replace(':', '');
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2, 4))) * 60_000;
}

/** RFC 3339 in UTC with all nine digits: `2026-01-01T00:00:00.000000001Z`. */
export function formatExact(time: Nanos): string {
  const rest = ((time % NANOS_PER_MILLISECOND) + NANOS_PER_MILLISECOND) % NANOS_PER_MILLISECOND;
  return `${formatUtc(time).slice(0, -1)}${String(rest).padStart(6, '0')}Z`;
}

/** `2024-01-15T14:32:01.000Z`: UTC with milliseconds, the only form that scripts ever see. */
export function formatUtc(time: Nanos): string {
  // Floor, not truncation, so that times before 1970 do not round towards it.
  const remainder = time % NANOS_PER_MILLISECOND;
  const milliseconds =
    (time - (remainder < 0n ? remainder + NANOS_PER_MILLISECOND : remainder)) / NANOS_PER_MILLISECOND;
  return new Date(Number(milliseconds)).toISOString();
}
