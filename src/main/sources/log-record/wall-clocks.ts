import { type WallClock, wallClockToNanos } from '../../../model/local-time.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { DateOrder, SourceInput } from '../../../model/storage/source.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import type { Moment } from './moment.ts';
import { clockOf, isOpenDate, type OpenDate, ordersOf } from './open-date.ts';

const DAY_NS = 86_400_000_000_000n;

interface OrderGuess {
  readonly order: DateOrder;
  /** '': no other order is possible. */
  readonly remark: string;
}

/** Wall clocks of one file as instants, with a remark for each assumption. */
export class WallClocks {
  /** When the file was recorded, ns, and where that is known from. */
  readonly captured: bigint;
  readonly capturedFrom: string;
  private readonly zone: string | null;
  private readonly year: number | null;
  private readonly givenOrder: DateOrder | null;
  private guess: OrderGuess | undefined;
  private first: WallClock | undefined;

  constructor({ files: [file], assume }: Pick<SourceInput, 'files' | 'assume'>) {
    this.zone = assume.zone;
    this.year = assume.year ?? null;
    this.givenOrder = assume.date_order ?? null;
    this.captured = file?.captured_ns ?? 0n;
    this.capturedFrom = file?.captured_from ?? 'file time';
  }

  /** The times that a file starts with: what they leave open is decided once for all of it. */
  begin(moments: readonly Moment[]): void {
    const dates = moments.filter(isOpenDate);
    if (dates.length > 0) this.decideOrder(dates);
    this.first = moments.find((moment) => typeof moment === 'object' && !isOpenDate(moment)) as WallClock | undefined;
  }

  private decideOrder(dates: readonly OpenDate[]): OrderGuess {
    const orders = ordersOf(dates, Number(this.captured / 1_000_000n));
    const [order = 'month-first'] = orders;
    // Of the first date only: one remark per file.
    const remark = `dates such as ${dates[0]?.numbers.join('/')} are read ${order.replace('-', ' ')}: a guess`;
    this.guess = { order, remark: orders.length === 1 ? '' : remark };
    return this.guess;
  }

  /** @throws ProblemError time.unreadable */
  private ordered(date: OpenDate, builder: BatchBuilder): WallClock {
    const { order, remark } = this.givenOrder
      ? { order: this.givenOrder, remark: '' }
      : (this.guess ?? this.decideOrder([date]));
    if (remark !== '') builder.remark(remark);
    return (
      clockOf(date, order) ??
      fail('time.unreadable', `there is no date ${date.numbers.join('/')} with the ${order.replace('-', ' ')}`)
    );
  }

  /** A year of 0: the clock has none. @throws ProblemError time.* for an impossible time */
  instant(written: WallClock | OpenDate, builder: BatchBuilder): bigint {
    const clock = isOpenDate(written) ? this.ordered(written, builder) : written;
    if (this.zone === null) builder.remark('times have no zone: read as UTC');
    return clock.year === 0 ? this.yearless(clock, builder) : wallClockToNanos(clock, this.zone ?? 'UTC');
  }

  /** The instant of any moment; undefined: a time that does not exist. */
  instantOf(moment: Moment, builder: BatchBuilder): bigint | undefined {
    if (typeof moment === 'bigint') return moment;
    try {
      return this.instant(moment, builder);
    } catch (error) {
      if (error instanceof ProblemError) return undefined;
      throw error;
    }
  }

  /** 1 for a time in the year after that of the file's first one: it lies more than half a year before it otherwise. */
  private turns({ month }: WallClock): number {
    return this.first && this.first.year === 0 && this.first.month - month > 6 ? 1 : 0;
  }

  /** The latest year in which the time does not lie after the recording. */
  private yearless(clock: WallClock, builder: BatchBuilder): bigint {
    if (this.year !== null)
      return wallClockToNanos({ ...clock, year: this.year + this.turns(clock) }, this.zone ?? 'UTC');
    const year = new Date(Number(this.captured / 1_000_000n)).getUTCFullYear();
    builder.remark(
      `times have no year: taken as the last before ${formatUtc(nanos(this.captured))} (${this.capturedFrom})`,
    );
    for (const candidate of [year, year - 1, year - 2, year - 3, year - 4]) {
      try {
        const time = wallClockToNanos({ ...clock, year: candidate }, this.zone ?? 'UTC');
        if (time <= this.captured + DAY_NS) return time;
      } catch (error) {
        // 29 February: an earlier year will have it.
        if (!(error instanceof ProblemError)) throw error;
      }
    }
    return wallClockToNanos({ ...clock, year }, this.zone ?? 'UTC');
  }
}
