import { parseLocalTime, parseRfc1123, secondsToNanos, wallClockToNanos } from '../../../model/local-time.ts';
import { ProblemError } from '../../../model/problem.ts';
import { parseTime } from '../../../model/time.ts';
import { asObject } from '../bytes/json-access.ts';

/** Milliseconds since 1970 have had twelve digits since 1973; fewer are seconds. */
const MILLISECONDS = 1e11;

/**
 * A time as providers and their tools write it: RFC 3339, RFC 1123 (a wrong weekday is ignored), seconds or milliseconds
 * since 1970, and botocore's recorded `{"__class__": "datetime", …}`. Without a zone it is UTC, as all of them document.
 * undefined when there is none or it is unreadable.
 */
export function cloudTime(value: unknown): bigint | undefined {
  try {
    return read(value);
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

function read(value: unknown): bigint | undefined {
  if (typeof value === 'number') return secondsToNanos(Math.abs(value) > MILLISECONDS ? value / 1000 : value);
  if (typeof value === 'string') {
    const text = value.trim();
    if (text === '') return undefined;
    if (/^[A-Za-z]{3},|^\d{1,2} [A-Za-z]{3}/.test(text)) return parseRfc1123(text);
    return /(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? parseTime(text) : parseLocalTime(text, 'UTC');
  }
  const { year, month, day, hour, minute, second, microsecond, __class__ } = asObject(value);
  if (__class__ !== 'datetime') return undefined;
  const number = (one: unknown): number => (typeof one === 'number' && Number.isInteger(one) ? one : 0);
  return wallClockToNanos(
    {
      year: number(year),
      month: number(month),
      day: number(day),
      hour: number(hour),
      minute: number(minute),
      second: number(second),
      nanosecond: number(microsecond) * 1000,
    },
    'UTC',
  );
}
