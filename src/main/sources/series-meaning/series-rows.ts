import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import {
  type Assembled,
  DistributionAssembler,
  histogramOf,
  type LabelledSeries,
  mayBePart,
  type Values,
} from './distribution-assembler.ts';
import { type Exemplar, PointWriter } from './point-writer.ts';
import type { ScrapedSeries, Surroundings } from './scraped.ts';

/** Samples that wait for the rest of their histogram; a series weighs so many itself. */
const MOST_WAITING = 4_000_000;
const SERIES_WEIGHT = 32;
const MOST_REMEMBERED = 200_000;

interface Waiting {
  readonly series: LabelledSeries;
  readonly time_ns: bigint[];
  readonly value: number[];
}

/** Characters of the name and labels of one series: they are remembered, and a hostile file must not fill the memory with them. */
export const LONGEST_NAMES = 16_384;

/** Rows of samples whose series have a name and labels, whatever container lists them, one series or one instant after the other. */
export class SeriesRows {
  readonly writer: PointWriter;
  private readonly builder: BatchBuilder;
  private readonly assembler: DistributionAssembler<LabelledSeries>;
  private readonly waiting = new Map<string, Waiting>();
  private readonly plainKeys = new Set<string>();
  private samples = 0;
  private assembled = 0;

  constructor(builder: BatchBuilder, surroundings: Surroundings) {
    this.builder = builder;
    this.writer = new PointWriter(builder, surroundings);
    this.assembler = new DistributionAssembler<LabelledSeries>({
      plain: (series, values) => this.plain(series, values),
      distribution: (series, rows) => this.distributions(series, rows),
      remark: (text) => builder.remark(text),
    });
  }

  /** To be called when the builder has finished a batch: numbers end with it. */
  nextBatch(): void {
    this.writer.nextBatch();
  }

  /**
   * One sample. What may be part of a histogram or summary waits for {@link end}.
   * @param key names the series within the file
   */
  sample(key: string, described: () => ScrapedSeries, time_ns: bigint, value: number): void {
    const waiting = this.waiting.get(key) ?? this.newWaiting(key, described);
    if (!waiting) return this.writer.point(key, described, time_ns, value);
    waiting.time_ns.push(time_ns);
    waiting.value.push(value);
    this.samples++;
  }

  /** All values of one series that may be part of a histogram or summary. Yields after every row, so that a batch may end there. */
  *parts(series: LabelledSeries, values: Values): Generator<void> {
    yield* this.assembler.add(series, values);
  }

  /**
   * One exemplar; that of a bucket belongs to its histogram.
   * @param key names the series within the file
   */
  exemplar(key: string, { name, labels, type }: ScrapedSeries, row: Exemplar): void {
    const whole = histogramOf({ name, labels, scope: '' });
    const series = whole ? described(whole.name, whole.labels, 'histogram') : described(name, labels, type);
    this.writer.exemplar(key, () => series, whole ? 'histogram' : 'gauge', row);
  }

  /** Writes what waits. */
  *end(): Generator<void> {
    for (const { series, time_ns, value } of this.waiting.values())
      yield* this.assembler.add(series, { time_ns: BigInt64Array.from(time_ns), value });
    this.waiting.clear();
    yield* this.assembler.end();
  }

  private newWaiting(key: string, described: () => ScrapedSeries): Waiting | undefined {
    if (this.plainKeys.has(key)) return undefined;
    const { name, labels } = described();
    if (!mayBePart(name, (label) => labels.has(label)) || this.isFull()) {
      if (this.plainKeys.size >= MOST_REMEMBERED) this.plainKeys.clear();
      this.plainKeys.add(key);
      return undefined;
    }
    const waiting: Waiting = { series: { name, labels, scope: '' }, time_ns: [], value: [] };
    this.waiting.set(key, waiting);
    return waiting;
  }

  private isFull(): boolean {
    if (this.samples + this.waiting.size * SERIES_WEIGHT < MOST_WAITING) return false;
    this.builder.remark('histograms that are too large to assemble stay series of their buckets');
    return true;
  }

  private *plain({ name, labels }: LabelledSeries, { time_ns, value }: Values): Generator<void> {
    const key = `assembled ${this.assembled++}`;
    for (const [i, one] of value.entries()) {
      this.writer.point(key, () => described(name, labels), time_ns[i]!, one);
      yield;
    }
  }

  private *distributions({ name, labels }: LabelledSeries, rows: Iterable<Assembled>): Generator<void> {
    const key = `assembled ${this.assembled++}`;
    for (const row of rows) {
      this.writer.distribution(key, () => described(name, labels, row.kind), row.kind, row);
      yield;
    }
  }
}

/** A series of which the container states no more than its name and labels. */
export const described = (
  name: string,
  labels: ReadonlyMap<string, string>,
  type: ScrapedSeries['type'] = 'unknown',
): ScrapedSeries => ({ name, labels, type, unit: '', help: '' });
