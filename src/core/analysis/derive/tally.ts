import { bisectLeft } from '../../../base/bisect.ts';

/** Counts by value, with the lower median of `quantile_disc(…, 0.5)`. */
export class Tally {
  /** Ascending. */
  private readonly values: number[] = [];
  private readonly counts: number[] = [];
  private total = 0;

  add(value: number, times = 1): void {
    const at = bisectLeft(this.values, value);
    if (this.values[at] === value) this.counts[at] = this.counts[at]! + times;
    else {
      this.values.splice(at, 0, value);
      this.counts.splice(at, 0, times);
    }
    this.total += times;
  }

  /** Number of distinct values. */
  get size(): number {
    return this.values.length;
  }

  /** null if empty. */
  median(): number | null {
    const rank = Math.ceil(this.total / 2);
    let seen = 0;
    for (const [at, count] of this.counts.entries()) {
      seen += count;
      if (seen >= rank) return this.values[at]!;
    }
    return null;
  }

  every(holds: (value: number) => boolean): boolean {
    return this.values.every(holds);
  }

  /** @param text a JSON object of counts by value, or null for nothing */
  static read(text: string | null): Tally {
    const tally = new Tally();
    const counts = Object.entries((text === null ? {} : JSON.parse(text)) as Record<string, number>);
    for (const [value, times] of counts) tally.add(Number(value), times);
    return tally;
  }
}
