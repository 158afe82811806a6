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
  private inAll: number | undefined;
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
    return this.count - lengthOf(row);
  }

  /** Expected number of runs of this length by how often measurements outside of the run are high (rule of succession). */
  expectedByOthers(row: MeasurementRun): number {
    const length = lengthOf(row);
    const others = this.outside(row);
    return this.length * ((others + 1) / (this.length - length + 1)) ** length;
  }

  /** Expected number of runs of this length if the high measurements were randomly placed. */
  expected(row: MeasurementRun): number {
    return this.length * (this.count / this.length) ** lengthOf(row);
  }

  private get count(): number {
    this.inAll ??= runningCount(this.length, this.isHigh)[this.length]!;
    return this.inAll;
  }
}
