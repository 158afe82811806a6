import { secondsToNanos } from '../../../model/local-time.ts';
import { ProblemError } from '../../../model/problem.ts';
import { type Nanos, nanos, parseTime } from '../../../model/time.ts';

const MAX_NS = 2n ** 63n - 1n;
/** As seconds this is the year 5138, as milliseconds 1973: larger whole numbers are never seconds. */
const NO_SECONDS = 100_000_000_000;

/**
 * A timestamp after a sample: milliseconds in the classic format, seconds in OpenMetrics, where a number that cannot
 * be seconds is read as milliseconds. Undefined when out of range.
 */
export function sampleTime(
  text: string,
  openMetrics: boolean,
): { readonly time: Nanos; readonly odd: boolean } | undefined {
  const whole = /^-?\d+$/.test(text);
  const milliseconds = !openMetrics || (whole && Math.abs(Number(text)) >= NO_SECONDS);
  try {
    const time = milliseconds ? nanos(BigInt(text) * 1_000_000n) : secondsToNanos(text);
    return time > MAX_NS || time < -MAX_NS ? undefined : { time, odd: milliseconds && openMetrics };
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** Output of `date` between scrapes that are appended to one file: RFC 3339 or digits since 1970, `#` optional. */
export function clockLine(line: string): Nanos | undefined {
  const text = line.replace(/^#+[ \t]*/, '');
  if (/^\d{10}(\d{3}){0,3}$/.test(text)) {
    const time = BigInt(text) * 10n ** BigInt(19 - text.length);
    return time > MAX_NS ? undefined : nanos(time);
  }
  if (!/^\d{4}-\d\d-\d\d[Tt ]/.test(text) || text.length > 40) return undefined;
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
