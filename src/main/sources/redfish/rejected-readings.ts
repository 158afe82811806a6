/** Series that are told of; of others it is only known how many readings were rejected. */
const MOST_SERIES = 10_000;

/** Readings that a live feed rejects at one poll after the other: each series is said once, and counted until the end. */
export class RejectedReadings {
  private readonly kept = new Map<string, { readonly count: number; readonly last: string }>();
  private now: (readonly [series: string, last: string])[] = [];
  private others = 0;

  /** @returns whether it is the first of its series */
  add(series: string, last: string): boolean {
    const isFirst = !this.kept.has(series) && !this.now.some(([known]) => known === series);
    if (isFirst && this.kept.size + this.now.length >= MOST_SERIES) {
      this.others++;
      return false;
    }
    this.now.push([series, last]);
    return isFirst;
  }

  /** What was read is kept. */
  keep(): void {
    for (const [series, last] of this.now)
      this.kept.set(series, { count: (this.kept.get(series)?.count ?? 0) + 1, last });
    this.now = [];
  }

  /** It is not, and said again. */
  forget(): void {
    this.now = [];
  }

  /** What there is to say at the end. */
  *said(): Generator<string> {
    for (const { count, last } of this.kept.values())
      if (count > 1)
        yield `${count} readings of one series were rejected, the first of them is listed; the last: ${last}`;
    if (this.others > 0) yield `${this.others} readings of further series were rejected`;
  }
}
