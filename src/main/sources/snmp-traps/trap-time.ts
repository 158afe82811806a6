import { monthNumber, parseLocalTime, wallClockToNanos } from '../../../model/local-time.ts';
import { fail } from '../../../model/problem.ts';
import { parseTime } from '../../../model/time.ts';
import type { Clock } from './trap-records.ts';

const DAY_NS = 86_400_000_000_000n;

export interface TimeBasis {
  readonly zone: string | null;
  /** No trap of a log came in after the log was recorded: so it gives the year of a time without one. */
  readonly captured_ns: bigint;
  readonly remark: (text: string) => void;
}

/** @throws ProblemError time.unreadable, time.out_of_range */
export function timeOfTrap(clock: Clock, { captured_ns, remark, zone }: TimeBasis): bigint {
  if (clock.form === 'zoned') return parseTime(clock.text.replace(' ', 'T').replace(',', '.'));
  if (zone === null) remark('times have no zone: read as UTC');
  const local = zone ?? 'UTC';
  if (clock.form === 'local') {
    const named = /^(\d{4}) ([A-Z][a-z]{2}) (\d{1,2}) (.*)$/.exec(clock.text);
    if (!named) return parseLocalTime(clock.text, local);
    return yearlessTime(named[2] ?? '', Number(named[3]), named[4] ?? '', Number(named[1]), local);
  }
  remark('times have no year: taken as the last before the file was recorded');
  const year = new Date(Number(captured_ns / 1_000_000n)).getUTCFullYear();
  const time = yearlessTime(clock.month, clock.day, clock.clock, year, local);
  return time > captured_ns + DAY_NS ? yearlessTime(clock.month, clock.day, clock.clock, year - 1, local) : time;
}

function yearlessTime(month: string, day: number, clock: string, year: number, zone: string): bigint {
  const [hour = 0, minute = 0, second = 0] = clock.split(':').map(Number);
  const number = monthNumber(month);
  if (number === 0) return fail('time.unreadable', `"${month}" is no month`);
  return wallClockToNanos({ year, month: number, day, hour, minute, second }, zone);
}
