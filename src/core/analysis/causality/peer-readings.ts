/** Distance of a metric of a machine from its baseline, in robust deviations; NaN if unknown. */
interface PeerReading {
  readonly machine: number;
  readonly z: number;
}

/** Readings of one metric, sorted once for the median of all machines but any one. */
export class PeerReadings {
  private readonly sorted: readonly number[];
  /** Positions among the sorted ones, ascending, by machine. */
  private readonly positions = new Map<number, number[]>();
  private readonly counts = new Map<number, number>();
  private readonly total: number;

  constructor(readings: readonly PeerReading[]) {
    this.total = readings.length;
    for (const { machine } of readings) this.counts.set(machine, (this.counts.get(machine) ?? 0) + 1);
    const known = readings.filter(({ z }) => !Number.isNaN(z)).toSorted((a, b) => a.z - b.z);
    this.sorted = known.map(({ z }) => z);
    for (const [machine, own] of Map.groupBy(known.entries(), ([, reading]) => reading.machine))
      this.positions.set(
        machine,
        own.map(([position]) => position),
      );
  }

  /** Number of readings of other machines. */
  countWithout(machine: number): number {
    return this.total - (this.counts.get(machine) ?? 0);
  }

  /** Median of the readings of other machines; NaN for none. */
  medianWithout(machine: number): number {
    const own = this.positions.get(machine) ?? [];
    const count = this.sorted.length - own.length;
    const nth = (n: number): number => this.sorted[own.reduce((at, position) => (position <= at ? at + 1 : at), n)]!;
    if (count === 0) return Number.NaN;
    const middle = count >> 1;
    return count % 2 === 1 ? nth(middle) : (nth(middle - 1) + nth(middle)) / 2;
  }
}
