/** Series that are told of; of others it is only known how many readings were rejected. */
const MOST_SERIES = 10_000;

/** Readings that a live feed rejects at one poll after the other: each series is said once, and counted until the end. */
export class RejectedReadings {
  private readonly committed = new Map<string, { readonly count: number; readonly last: string }>();
  private now: (readonly [series: string, last: string])[] = [];
  private others = 0;

  /** @returns whether it is the first of its series */
  add(series: string, last: string): boolean {
    const isFirst = !this.committed.has(series) && !this.now.some(([known]) => known === series);
    if (isFirst && this.committed.size + this.now.length >= MOST_SERIES) {
      this.others++;
      return false;
    }
    this.now.push([series, last]);
    return isFirst;
  }

  /** What was read is kept. */
  commit(): void {
    for (const [series, last] of this.now)
      this.committed.set(series, { count: (this.committed.get(series)?.count ?? 0) + 1, last });
    this.now = [];
  }

  /** It is not, and said again. */
  forget(): void {
    this.now = [];
  }

  /** What there is to say at the end. */
  *remarks(): Generator<string> {
    for (const { count, last } of this.committed.values())
      if (count > 1)
        yield `${count} readings of one series were rejected, the first of them is listed; the last: ${last}`;
    if (this.others > 0) yield `${this.others} readings of further series were rejected`;
  }
}
