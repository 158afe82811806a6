import { type WallClock, wallClockToNanos } from '../../../model/local-time.ts';
import { ProblemError } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { SourceInput } from '../../../model/storage/source.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import type { Moment } from './moment.ts';

const DAY_NS = 86_400_000_000_000n;

/** Wall clocks of one file as instants, with a remark for each assumption. */
export class WallClocks {
  /** When the file was recorded, ns, and where that is known from. */
  readonly captured: bigint;
  readonly capturedFrom: string;
  private readonly zone: string | null;

  constructor({ files: [file], assume }: Pick<SourceInput, 'files' | 'assume'>) {
    this.zone = assume.zone;
    this.captured = file?.captured_ns ?? 0n;
    this.capturedFrom = file?.captured_from ?? 'file time';
  }

  /** A year of 0: the clock has none. @throws ProblemError time.* for an impossible time */
  instant(clock: WallClock, builder: BatchBuilder): bigint {
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

  /** The latest year in which the time does not lie after the recording. */
  private yearless(clock: WallClock, builder: BatchBuilder): bigint {
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
