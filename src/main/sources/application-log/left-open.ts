import type { WallClock } from '../../../model/local-time.ts';
import type { FileHead, LeftOpen, MissingMetadata, TimeReading } from '../../../model/storage/source.ts';
import { readLine } from '../log-lines/grammars.ts';
import type { Moment } from '../log-record/moment.ts';
import { clockOf, isOpenDate, type OpenDate, ordersOf } from '../log-record/open-date.ts';
import { type TimedLine, timedLines } from './detect.ts';
import { unwrapAll } from './records.ts';

/** Years that are offered for times without one. */
const YEARS = 4;
const LONGEST_LINE = 160;
const DAY_MS = 86_400_000;

/** What the first lines of a log leave open: zone and year of its times, the order of its dates, what wrote it. */
export function leftOpen(head: FileHead, captured_ns: bigint): LeftOpen {
  const captured_ms = Number(captured_ns / 1_000_000n);
  const timed = timedLines(head.text);
  const clocks = timed.filter(({ moment }) => typeof moment === 'object');
  const missing: MissingMetadata[] = [
    ...(clocks.length > 0 ? (['zone'] as const) : []),
    ...(timed.length === 0 ? (['time'] as const) : []),
    ...(namesWriter(head.text) ? [] : (['device'] as const)),
  ];
  const found = orderReadings(clocks, captured_ms) ?? yearReadings(clocks, captured_ms);
  return { missing, line: found?.line.trim().slice(0, LONGEST_LINE) ?? '', readings: found?.readings ?? [] };
}

interface Readings {
  readonly line: string;
  readonly readings: readonly TimeReading[];
}

function orderReadings(lines: readonly TimedLine[], captured_ms: number): Readings | undefined {
  const dates = lines.filter((one): one is TimedLine & { moment: OpenDate } => isOpenDate(one.moment));
  const orders = ordersOf(
    dates.map(({ moment }) => moment),
    captured_ms,
  );
  const [first] = dates;
  if (!first || orders.length < 2) return undefined;
  const readings = orders.map((order) => ({
    date_order: order,
    year: null,
    clock: clockText(clockOf(first.moment, order)!),
  }));
  // Of equal day and month, only one reading is left.
  const different = readings.filter(({ clock }, i) => readings.findIndex((other) => other.clock === clock) === i);
  return different.length < 2 ? undefined : { line: first.line, readings: different };
}

function yearReadings(lines: readonly TimedLine[], captured_ms: number): Readings | undefined {
  const first = lines.find(({ moment }) => isYearless(moment));
  if (!first) return undefined;
  const clock = first.moment as WallClock;
  const latest = new Date(captured_ms + DAY_MS).getUTCFullYear();
  const years = Array.from({ length: YEARS * 4 }, (_, i) => latest - i).filter((year) => {
    const day = new Date(Date.UTC(year, clock.month - 1, clock.day));
    // The 29th of February is not in every year.
    return day.getUTCDate() === clock.day && day.getTime() <= captured_ms + DAY_MS;
  });
  const readings = years
    .slice(0, YEARS)
    .map((year) => ({ date_order: null, year, clock: clockText({ ...clock, year }) }));
  return { line: first.line, readings };
}

const isYearless = (moment: Moment): boolean => typeof moment === 'object' && !isOpenDate(moment) && moment.year === 0;

/** Whether a line names a machine, service or rank. */
const namesWriter = (text: string): boolean =>
  text.split('\n', 20).some((line) => {
    const { text: bare, fields } = unwrapAll(line);
    const read = readLine(bare);
    return Object.keys(fields).length > 0 || read?.rank !== undefined || Object.keys(read?.resource ?? {}).length > 0;
  });

function clockText({ year, month, day, hour = 0, minute = 0, second = 0 }: WallClock): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}`;
}
