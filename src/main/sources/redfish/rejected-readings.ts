/** Series that are listed; for all others only the rejected readings are counted. */
const MOST_SERIES = 10_000;

/** Readings that a live feed rejects poll after poll: each series is listed once, and counted until the end. */
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

  /** The rows of the poll are stored. */
  commit(): void {
    for (const [series, last] of this.now)
      this.committed.set(series, { count: (this.committed.get(series)?.count ?? 0) + 1, last });
    this.now = [];
  }

  /** The rows of the poll are lost and will be read again. */
  forget(): void {
    this.now = [];
  }

  /** Summary at the end. */
  *remarks(): Generator<string> {
    for (const { count, last } of this.committed.values())
      if (count > 1)
        yield `${count} readings of one series were rejected, the first of them is listed; the last: ${last}`;
    if (this.others > 0) yield `${this.others} readings of further series were rejected`;
  }
}
