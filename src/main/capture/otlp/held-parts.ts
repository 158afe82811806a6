import type { LabelledSeries, Values } from '../../sources/series-meaning/distribution-assembler.ts';

/**
 * Senders split an instant of one target over requests, by number of samples and by shard, and send the last part within 5 s
 * (`batch_send_deadline` of Prometheus).
 */
const HELD_MS = 10_000;
/** Characters of the names and labels of all parts that wait; then the oldest wait no longer. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** What a part weighs beside them. */
const PART_WEIGHT = 64;

interface Instant {
  readonly since: number;
  readonly parts: (readonly [series: LabelledSeries, value: number])[];
  weight: number;
}

/** Parts of classic histograms and summaries, which are held until the other parts of their instant have arrived in later requests. */
export class HeldParts {
  /** By time, in the order of arrival. */
  private readonly instants = new Map<bigint, Instant>();
  private weight = 0;
  private readonly now: () => number;

  /** @param now a clock in ms that never goes back */
  constructor(now: () => number) {
    this.now = now;
  }

  add(series: LabelledSeries, { time_ns, value }: Values): void {
    let weight = PART_WEIGHT + series.name.length;
    for (const [name, text] of series.labels) weight += name.length + text.length;
    for (const [i, one] of value.entries()) {
      const at = time_ns[i]!;
      let instant = this.instants.get(at);
      if (!instant) {
        instant = { since: this.now(), parts: [], weight: 0 };
        this.instants.set(at, instant);
      }
      instant.parts.push([series, one]);
      instant.weight += weight;
      this.weight += weight;
    }
  }

  /** Removes and returns what has waited long enough, or is too much; at the end of the feed everything. */
  *due(isEnd: boolean): Generator<readonly [LabelledSeries, Values]> {
    const before = this.now() - HELD_MS;
    for (const [at, { since, parts, weight }] of this.instants) {
      if (!isEnd && since > before && this.weight <= MOST_CHARACTERS) return;
      this.instants.delete(at);
      this.weight -= weight;
      const time_ns = BigInt64Array.of(at);
      for (const [series, value] of parts) yield [series, { time_ns, value: [value] }];
    }
  }
}
