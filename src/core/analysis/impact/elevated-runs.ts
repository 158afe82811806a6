/** First and last measurement. */
export interface MeasurementRun {
  readonly first: number;
  readonly last: number;
}

const NOWHERE: MeasurementRun = { first: 0, last: -1 };

export const lengthOf = ({ first, last }: MeasurementRun): number => last - first + 1;

/** NaN of nothing. */
export const meanOf = (values: Float64Array, row: MeasurementRun): number =>
  values.subarray(row.first, row.last + 1).reduce((sum, value) => sum + value, 0) / lengthOf(row);

/** The measurements around one of which something holds, so many to either side at most; none where it does not hold there. */
export function runAround(i: number, reach: number, holds: (i: number) => boolean): MeasurementRun {
  if (!holds(i)) return NOWHERE;
  let [first, last] = [i, i];
  while (i - first < reach && holds(first - 1)) first--;
  while (last - i < reach && holds(last + 1)) last++;
  return { first, last };
}

/** Of how many of the first so many something holds: none of none, up to all of all. */
export function runningCount(length: number, holds: (i: number) => boolean): Uint32Array {
  const counts = new Uint32Array(length + 1);
  for (let i = 0; i < length; i++) counts[i + 1] = counts[i]! + Number(holds(i));
  return counts;
}

/** Rows of high measurements in a recording of so many, and how likely chance makes them. */
export class HighRows {
  private readonly length: number;
  private readonly isHigh: (i: number) => boolean;
  private inAll: number | undefined;
  private row: MeasurementRun = NOWHERE;

  constructor(length: number, isHigh: (i: number) => boolean) {
    this.length = length;
    this.isHigh = isHigh;
  }

  /** The row that a measurement belongs to; none where it is not high. */
  at(i: number): MeasurementRun {
    if (!this.isHigh(i)) return NOWHERE;
    if (i < this.row.first || i > this.row.last) this.row = runAround(i, Number.POSITIVE_INFINITY, this.isHigh);
    return this.row;
  }

  /** How many rows so long chance would make: had all of the high ones fallen anywhere, so many would lie side by side. */
  expected(row: MeasurementRun): number {
    this.inAll ??= runningCount(this.length, this.isHigh)[this.length]!;
    return this.length * (this.inAll / this.length) ** lengthOf(row);
  }
}
