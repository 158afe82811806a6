import { binomialTail } from '../software/significance.ts';
import { impact } from './parameters.ts';

/** First and last measurement. */
export interface MeasurementRun {
  readonly first: number;
  readonly last: number;
}

const NOWHERE: MeasurementRun = { first: 0, last: -1 };

export const lengthOf = ({ first, last }: MeasurementRun): number => last - first + 1;

/** NaN if empty. */
export const meanOf = (values: Float64Array, row: MeasurementRun): number =>
  values.subarray(row.first, row.last + 1).reduce((sum, value) => sum + value, 0) / lengthOf(row);

/** The run of measurements around an index that satisfy a condition, limited to each side; empty if the index does not satisfy it. */
export function runAround(i: number, reach: number, holds: (i: number) => boolean): MeasurementRun {
  if (!holds(i)) return NOWHERE;
  let [first, last] = [i, i];
  while (i - first < reach && holds(first - 1)) first--;
  while (last - i < reach && holds(last + 1)) last++;
  return { first, last };
}

/** Prefix sums of a condition. */
export function runningCount(length: number, holds: (i: number) => boolean): Uint32Array {
  const counts = new Uint32Array(length + 1);
  for (let i = 0; i < length; i++) counts[i + 1] = counts[i]! + Number(holds(i));
  return counts;
}

/** Runs of high measurements, and their probability by chance. */
export class HighRows {
  readonly length: number;
  private readonly isHigh: (i: number) => boolean;
  private upTo: Uint32Array | undefined;
  private row: MeasurementRun = NOWHERE;

  constructor(length: number, isHigh: (i: number) => boolean) {
    this.length = length;
    this.isHigh = isHigh;
  }

  /** The run of a measurement; empty if it is not high. */
  at(i: number): MeasurementRun {
    if (!this.isHigh(i)) return NOWHERE;
    if (i < this.row.first || i > this.row.last) this.row = runAround(i, Number.POSITIVE_INFINITY, this.isHigh);
    return this.row;
  }

  /** High measurements outside of a run of them. */
  outside(row: MeasurementRun): number {
    return this.counts[this.length]! - lengthOf(row);
  }

  /** Expected number of runs of this length by how often measurements outside of the run are high (rule of succession). */
  expectedByOthers(row: MeasurementRun): number {
    const length = lengthOf(row);
    const others = this.outside(row);
    return this.length * ((others + 1) / (this.length - length + 1)) ** length;
  }

  /** Expected number of runs of this length if the high measurements were randomly placed, as often as is usual. */
  expected(row: MeasurementRun): number {
    return this.length * this.usualShare(row) ** lengthOf(row);
  }

  /**
   * What share of the measurements is usually high: of all; but only of those before the run if others became so much more
   * frequent after it that chance does not place them so. Heat comes and goes: its first minutes must not look usual because more follow.
   */
  private usualShare({ first, last }: MeasurementRun): number {
    const { length, counts } = this;
    const before = counts[first]!;
    const after = counts[length]! - counts[last + 1]!;
    const others = length - (last - first + 1);
    const isMoreFrequent = length * binomialTail(after, before + after, 1 - first / others) <= impact.chanceWindows;
    const share = counts[length]! / length;
    return isMoreFrequent ? Math.min(share, (before + 1) / (first + 1)) : share;
  }

  private get counts(): Uint32Array {
    this.upTo ??= runningCount(this.length, this.isHigh);
    return this.upTo;
  }
}
