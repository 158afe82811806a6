import type { WallClock } from '../../../model/local-time.ts';
import { type DateOrder, dateOrders } from '../../../model/storage/source.ts';

/** A wall clock whose date is three numbers: `05/01/2026` is the 1st of May or the 5th of January. */
export interface OpenDate {
  /** As they are written; years of two digits are those of this century. */
  readonly numbers: readonly [number, number, number];
  /** The last number has four digits: it is the year. */
  readonly endsWithYear: boolean;
  readonly time: Required<Pick<WallClock, 'hour' | 'minute' | 'second' | 'nanosecond'>>;
}

export const isOpenDate = (moment: bigint | WallClock | OpenDate): moment is OpenDate =>
  typeof moment === 'object' && 'numbers' in moment;

/** The clock when the numbers are in this order; undefined: there is no such date. */
export function clockOf({ numbers, endsWithYear, time }: OpenDate, order: DateOrder): WallClock | undefined {
  if (endsWithYear && order === 'year-first') return undefined;
  const [first, second, third] = numbers;
  const [year, month, day] =
    order === 'year-first'
      ? [first, second, third]
      : order === 'month-first'
        ? [third, first, second]
        : [third, second, first];
  const full = year < 100 ? 2000 + year : year;
  const date = new Date(Date.UTC(full, month - 1, day));
  const exists = month >= 1 && month <= 12 && day >= 1 && date.getUTCMonth() === month - 1;
  return exists ? { year: full, month, day, ...time } : undefined;
}

const YEARS_BACK = 10;
const DAY_MS = 86_400_000;

/**
 * The orders in which all of these dates exist and none lies long before or after the recording; the one that brings the last of them
 * closest to it first. Where the recording is no help, all in which the dates exist.
 * @param captured_ms when the file was recorded
 */
export function ordersOf(dates: readonly OpenDate[], captured_ms: number): readonly DateOrder[] {
  const existing = dateOrders.filter((order) => dates.every((date) => clockOf(date, order) !== undefined));
  const latest = (order: DateOrder): number =>
    Math.max(
      ...dates.map((date) => {
        const { year, month, day } = clockOf(date, order)!;
        return Date.UTC(year, month - 1, day);
      }),
    );
  const plausible = existing.filter((order) => {
    const at = latest(order);
    return at <= captured_ms + DAY_MS && at >= captured_ms - YEARS_BACK * 365.25 * DAY_MS;
  });
  // Software writes the year first more often than a year lies ten years back.
  return plausible.length === 0 ? existing : plausible.sort((a, b) => latest(b) - latest(a));
}
