/** A window, cut into buckets. */
export interface HeatWindow {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly buckets: number;
}

/** What rows did, in seconds since 1970. */
export interface Intervals {
  /** A number: all are of this row. */
  readonly row: number | ArrayLike<number>;
  readonly start_s: ArrayLike<number>;
  readonly end_s: ArrayLike<number>;
  /** What one of it took. */
  readonly seconds: ArrayLike<number>;
}

/** Sums over the intervals of rows in one bucket, as columns; in order of row and slice. */
export interface CellSums {
  readonly row: Float64Array;
  readonly slice: Float64Array;
  /** Of the bucket that is within intervals which begin or end in it; weighted by what these took. */
  readonly share: Float64Array;
  readonly weighted: Float64Array;
  /** Intervals that begin to fill buckets from here on, less those that end; and weighted. */
  readonly opens: Float64Array;
  readonly opened: Float64Array;
}

/** Cells of a heat map, from the intervals of its rows. */
export class HeatCells {
  private readonly buckets: number;
  /** Share of each cell that is within intervals, and the same weighted by what these took. */
  private readonly share: Float64Array<ArrayBuffer>;
  private readonly weighted: Float64Array<ArrayBuffer>;
  /** 1: a counter shows that no step was completed. */
  private readonly stood: Uint8Array;

  constructor(rows: number, buckets: number) {
    this.buckets = buckets;
    this.share = new Float64Array(rows * buckets);
    this.weighted = new Float64Array(rows * buckets);
    this.stood = new Uint8Array(rows * buckets);
  }

  addIntervals(intervals: Intervals, window: Omit<HeatWindow, 'buckets'>): void {
    this.visit(intervals, window, (cell, share, at) => this.add(cell, share, intervals.seconds[at]!));
  }

  /** Times in which no step of a row was completed. */
  addStood(times: Omit<Intervals, 'seconds'>, window: Omit<HeatWindow, 'buckets'>): void {
    this.visit(times, window, (cell) => {
      this.stood[cell] = 1;
    });
  }

  private visit(
    { row, start_s, end_s }: Omit<Intervals, 'seconds'>,
    { start_ns, end_ns }: Omit<HeatWindow, 'buckets'>,
    onCell: (cell: number, share: number, at: number) => void,
  ): void {
    const { buckets } = this;
    const from_s = Number(start_ns) / 1e9;
    const width = Number(end_ns - start_ns) / 1e9 / buckets;
    for (let at = 0; at < start_s.length; at++) {
      const first = (typeof row === 'number' ? row : row[at]!) * buckets;
      const since = Math.max(0, (start_s[at]! - from_s) / width);
      const until = Math.min(buckets, (end_s[at]! - from_s) / width);
      for (let bucket = Math.floor(since); bucket < until; bucket++)
        onCell(first + bucket, Math.min(bucket + 1, until) - Math.max(bucket, since), at);
    }
  }

  addSums({ row, slice, share, weighted, opens, opened }: CellSums): void {
    const { buckets } = this;
    let [open, sum] = [0, 0];
    for (let at = 0; at < row.length; at++) {
      const first = row[at]! * buckets;
      if (at === 0 || row[at - 1] !== row[at]) [open, sum] = [0, 0];
      open += opens[at]!;
      // What rounding leaves of intervals that have ended.
      sum = open < 0.5 ? 0 : sum + opened[at]!;
      this.share[first + slice[at]!]! += share[at]!;
      this.weighted[first + slice[at]!]! += weighted[at]!;
      const next = row[at + 1] === row[at] ? slice[at + 1]! : buckets;
      for (let bucket = slice[at]!; open >= 0.5 && bucket < next; bucket++) this.add(first + bucket, open, sum / open);
    }
  }

  private add(cell: number, share: number, seconds: number): void {
    this.share[cell]! += share;
    this.weighted[cell]! += share * seconds;
  }

  /** What an interval took, of single precision, which crosses to the window in half of the room; Infinity: a counter stood; NaN: neither. */
  means(): Float64Array<ArrayBuffer> {
    return this.weighted.map((weighted, at) => {
      if (this.share[at]! > 0) return Math.fround(weighted / this.share[at]!);
      return this.stood[at] ? Number.POSITIVE_INFINITY : Number.NaN;
    });
  }

  /** Share of the time within intervals, 0 to 1, which may overlap, of single precision; NaN: none. */
  shares(): Float64Array<ArrayBuffer> {
    return this.share.map((share) => (share > 0 ? Math.fround(Math.min(1, share)) : Number.NaN));
  }
}
