import { digitsToClock, fractionToNanoseconds, monthNumber } from '../../../model/local-time.ts';
import { dateOrders } from '../../../model/storage/source.ts';
import { type Moment, readEpoch, readIsoTime } from '../log-record/moment.ts';
import { clockOf, type OpenDate } from '../log-record/open-date.ts';

/** A time at the start of a line. */
export interface FoundTime {
  readonly moment: Moment;
  /** The form, as people write it: `YYYY-MM-DD hh:mm:ss`. */
  readonly form: string;
  /** Index behind the time. */
  readonly end: number;
  /** The time begins in a bracket that its end does not close yet. */
  readonly open: boolean;
}

interface TimeForm {
  readonly form: string;
  readonly pattern: RegExp;
  read(match: RegExpExecArray): Moment | undefined;
}

const FRACTION = String.raw`(?:[.,](\d{1,9}))?`;
const CLOCK = String.raw`(\d{1,2}):(\d{2}):(\d{2})${FRACTION}`;
const ZONE = String.raw`(?: ?(Z|UTC|GMT|[+-]\d{2}:?\d{2})(?![\w]))?`;
const at = (pattern: string): RegExp => new RegExp(`^${pattern}`);
const pad = (text: string | number, width = 2): string => String(text).padStart(width, '0');

/** Digits as a time; with a zone an instant, without a year a clock of year 0. */
function moment(digits: readonly (string | undefined)[], zone: string | undefined): Moment | undefined {
  const [year = '0', month = '0', day = '0', hour = '0', minute = '0', second = '0', fraction = ''] = digits;
  if (+month < 1 || +month > 12 || +day < 1 || +day > 31 || +hour > 23 || +minute > 59 || +second > 60)
    return undefined;
  if (zone === undefined || +year === 0) return digitsToClock([year, month, day, hour, minute, second, fraction]);
  const text = `${pad(year, 4)}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}:${pad(second)}`;
  return readIsoTime(`${text}${fraction === '' ? '' : `.${fraction}`}${zone === 'GMT' ? 'Z' : zone}`);
}
const month = (name: string | undefined): string => String(monthNumber(name ?? ''));

/** `PM` and `AM` behind a clock of twelve hours; undefined: no such hour. */
function hourOf(hour: string, half: string | undefined): number | undefined {
  const value = +hour;
  if (half === undefined) return value <= 23 ? value : undefined;
  if (value < 1 || value > 12) return undefined;
  return (value % 12) + (half.toUpperCase() === 'PM' ? 12 : 0);
}

/** Forms of times. */
const timeForms: readonly TimeForm[] = [
  {
    form: 'YYYY-MM-DD hh:mm:ss',
    pattern: at(String.raw`(\d{4})[-/.](\d{2})[-/.](\d{2})[T _]${CLOCK}${ZONE}`),
    read: ([, y, mo, d, h, mi, s, f, z]) => moment([y, mo, d, h, mi, s, f], z),
  },
  {
    form: 'DD/Mon/YYYY:hh:mm:ss',
    pattern: at(String.raw`(\d{1,2})[/ -]([A-Z][a-z]{2})[/ -](\d{4})[: ]${CLOCK}${ZONE}`),
    read: ([, d, mo, y, h, mi, s, f, z]) => moment([y, month(mo), d, h, mi, s, f], z),
  },
  {
    form: 'Www Mon DD hh:mm:ss YYYY',
    pattern: at(String.raw`(?:[A-Z][a-z]{2},? )?([A-Z][a-z]{2}) {1,2}(\d{1,2}) ${CLOCK}(?: ([A-Z]{3}))? (\d{4})\b`),
    read: ([, mo, d, h, mi, s, f, z, y]) =>
      moment([y, month(mo), d, h, mi, s, f], z === 'UTC' || z === 'GMT' ? 'Z' : undefined),
  },
  {
    form: 'Mon DD hh:mm:ss',
    pattern: at(String.raw`([A-Z][a-z]{2}) {1,2}(\d{1,2}) ${CLOCK}(?=[\s\]:,]|$)`),
    read: ([, mo, d, h, mi, s, f]) => moment(['0', month(mo), d, h, mi, s, f], undefined),
  },
  {
    form: 'three numbers and hh:mm:ss',
    pattern: at(
      String.raw`(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})[ T,]{1,2}${CLOCK}(?: ?([AaPp][Mm])\b)?(?=[\s\]:,;|)]|$)`,
    ),
    read: ([, a, dot, b, c, h, mi, s, f, half]) => {
      const hour = hourOf(h!, half);
      if (hour === undefined || +mi! > 59 || +s! > 59) return undefined;
      const time = { hour, minute: +mi!, second: +s!, nanosecond: fractionToNanoseconds(f ?? '') };
      const date: OpenDate = { numbers: [+a!, +b!, +c!], endsWithYear: c!.length === 4, time };
      // With points and a full year, the day is first.
      if (dot === '.' && date.endsWithYear) return clockOf(date, 'day-first');
      return dateOrders.some((order) => clockOf(date, order) !== undefined) ? date : undefined;
    },
  },
  {
    // A number alone, or among numbers, is a measurement.
    form: 'seconds or milliseconds since 1970',
    pattern: at(String.raw`(1\d{9}(?:\.\d{1,9})?|1\d{12}|1\d{15}|1\d{18})(?=\]?[\s:]{1,4}[^\d\s])`),
    read: ([, count]) => readEpoch(count!),
  },
];

/** The time that a line begins with, perhaps behind a bracket, and that behind one blank; undefined: none in a known form. */
export function findTime(line: string): FoundTime | undefined {
  // Megatron-LM: ` [2026-05-01 14:00:00] iteration        1/  100000 |`.
  const from = line.startsWith(' [') ? 1 : 0;
  const first = line.charCodeAt(from);
  const bracket = from + (first === 0x5b || first === 0x28 ? 1 : 0);
  const text = line.slice(bracket, bracket + 64);
  const start = text.charCodeAt(0);
  if (!(start >= 0x30 && start <= 0x39) && !(start >= 0x41 && start <= 0x5a)) return undefined;
  for (const { form, pattern, read } of timeForms) {
    const match = pattern.exec(text);
    const time = match ? read(match) : undefined;
    if (!match || time === undefined) continue;
    const end = bracket + match[0].length;
    const closes = bracket > from && (line[end] === ']' || line[end] === ')');
    return { moment: time, form, end: closes ? end + 1 : end, open: bracket > from && !closes };
  }
  return undefined;
}
