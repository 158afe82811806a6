import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, attributesText } from '../../../model/rows/records.ts';
import type { SeriesKind } from '../../../model/rows/rows.ts';
import { metrics } from '../../../model/telemetry/metric.ts';
import type { StatedHealth } from './exporters/exporter.ts';
import { type Meaning, meaningOf } from './meaning.ts';
import type { ScrapedSeries, Subject, Surroundings } from './scraped.ts';

/** A histogram or summary at one instant, in the unit of the recording. */
export interface Distribution {
  readonly start_ns: bigint;
  readonly time_ns: bigint;
  readonly count: number;
  readonly sum: number;
  /** JSON of the shape that `kind` has (see the table `distribution`). */
  readonly detail: string;
}

export interface Exemplar {
  readonly time_ns: bigint;
  readonly value: number;
  readonly labels: ReadonlyMap<string, string>;
}

const MAX_REMEMBERED = 200_000;

/** Turns scraped series and their values into rows; the meaning of a series is determined once. */
export class PointWriter {
  private readonly meanings = new Map<string, Meaning>();
  private readonly emitted = new Set<string>();
  /** For each metric of a whole GPU that a record repeats for its slices: the series that is kept, and its last time. */
  private readonly repeated = new Map<string, { readonly key: string; readonly time_ns: bigint }>();
  private readonly series = new Map<string, number>();
  /** Last time of the health of each component. */
  private readonly healths = new Map<string, bigint>();
  private readonly builder: BatchBuilder;
  private readonly surroundings: Surroundings;

  constructor(builder: BatchBuilder, surroundings: Surroundings) {
    this.builder = builder;
    this.surroundings = surroundings;
  }

  /** Call after every `builder.finish`: numbers of entities and series are valid within one batch. */
  nextBatch(): void {
    this.series.clear();
  }

  /** `key` names the series within the source; equal keys mean equal series. */
  point(key: string, described: () => ScrapedSeries, time_ns: bigint, value: number, start_ns = 0n): void {
    const meaning = this.meaning(key, described);
    if (meaning.health) this.healthPoint(meaning.health, time_ns);
    const own = meaning.value(value);
    if (own === undefined || this.isRepetition(key, meaning, time_ns)) return;
    this.builder.table('point').push({
      series: this.seriesOf(key, meaning, meaning.counter ? 'sum' : 'gauge', described),
      start_ns: meaning.counter ? start_ns : 0n,
      time_ns,
      value: own,
    });
  }

  distribution(
    key: string,
    described: () => ScrapedSeries,
    kind: 'histogram' | 'exponential_histogram' | 'summary',
    { start_ns, time_ns, count, sum, detail }: Distribution,
  ): void {
    const meaning = this.meaning(key, described);
    const nan = Number.NaN;
    const series = this.seriesOf(key, meaning, kind, described);
    this.builder.table('distribution').push({ series, start_ns, time_ns, count, sum, min: nan, max: nan, detail });
  }

  exemplar(key: string, described: () => ScrapedSeries, kind: SeriesKind, { time_ns, value, labels }: Exemplar): void {
    const meaning = this.meaning(key, described);
    const trace = /^[0-9a-f]{32}$/i.exec(labels.get('trace_id') ?? labels.get('traceID') ?? '')?.[0] ?? '';
    const span = /^[0-9a-f]{16}$/i.exec(labels.get('span_id') ?? labels.get('spanID') ?? '')?.[0] ?? '';
    const rest = [...labels].filter(
      ([name]) => !(trace && /^trace_?id$/i.test(name)) && !(span && /^span_?id$/i.test(name)),
    );
    const isDistribution = kind !== 'gauge' && kind !== 'sum';
    this.builder.table('exemplar').push({
      series: this.seriesOf(key, meaning, kind === 'gauge' && meaning.counter ? 'sum' : kind, described),
      time_ns,
      value: isDistribution ? value : (meaning.value(value) ?? value),
      trace_hi: BigInt(`0x${trace.slice(0, 16) || '0'}`),
      trace_lo: BigInt(`0x${trace.slice(16) || '0'}`),
      span_id: BigInt(`0x${span || '0'}`),
      attributes: attributesText(Object.fromEntries(rest)),
    });
  }

  /** Every field of a component repeats its health. */
  private healthPoint(health: StatedHealth, time_ns: bigint): void {
    const { subject, status } = health;
    const key = `health\n${subject.kind}:${subject.id}`;
    const before = this.healths.get(key);
    if (before !== undefined && time_ns <= before) return;
    if (this.healths.size >= MAX_REMEMBERED) this.healths.clear();
    this.healths.set(key, time_ns);
    let series = this.series.get(key);
    if (series === undefined) {
      this.relate(health);
      const { unit, description } = metrics['hw.status'];
      series = this.builder.series({
        metric: 'hw.status',
        kind: 'gauge',
        entity: this.entity(subject),
        resource: -1,
        unit,
        description,
        temporality: 0,
        monotonic: false,
        attributes: '',
      });
      this.series.set(key, series);
    }
    this.builder.table('point').push({ series, start_ns: 0n, time_ns, value: status });
  }

  private meaning(key: string, described: () => ScrapedSeries): Meaning {
    let meaning = this.meanings.get(key);
    if (!meaning) {
      meaning = meaningOf(described(), this.surroundings);
      if (this.meanings.size >= MAX_REMEMBERED) this.meanings.clear();
      this.meanings.set(key, meaning);
    }
    return meaning;
  }

  /** dcgm-exporter writes power and temperature of a GPU once for every MIG slice of it. */
  private isRepetition(key: string, { subject, relations, metric, attributes }: Meaning, time_ns: bigint): boolean {
    if (!relations.some(({ from, to }) => from === subject && to.kind === 'gpu')) return false;
    const measured = `${subject.id}\n${metric}\n${JSON.stringify(attributes)}`;
    const repeatedPoint = this.repeated.get(measured);
    if (repeatedPoint && repeatedPoint.key !== key && time_ns <= repeatedPoint.time_ns) {
      this.builder.remark('values of a whole GPU that are repeated for each of its MIG slices are kept once');
      return true;
    }
    this.repeated.set(measured, { key, time_ns });
    return false;
  }

  private seriesOf(key: string, meaning: Meaning, kind: SeriesKind, described: () => ScrapedSeries): number {
    const seriesKey = `${kind}\n${key}`;
    let series = this.series.get(seriesKey);
    if (series === undefined) {
      this.relate(meaning);
      const isDistribution = kind !== 'gauge' && kind !== 'sum';
      // A gauge histogram holds what is there now; its counts may fall.
      const isCumulative = kind !== 'gauge' && kind !== 'summary' && described().type !== 'gaugehistogram';
      series = this.builder.series({
        metric: meaning.metric,
        kind,
        entity: this.entity(meaning.subject),
        resource: -1,
        // The bounds of a distribution stay as recorded.
        unit: isDistribution ? meaning.recordedUnit : meaning.unit,
        description: meaning.description,
        temporality: isCumulative ? 2 : 0,
        monotonic: kind === 'sum',
        attributes: attributesText(meaning.attributes),
      });
      this.series.set(seriesKey, series);
    }
    return series;
  }

  private relate({ relations }: Pick<Meaning, 'relations'>): void {
    for (const { from, kind, to } of relations) {
      const key = `${from.kind}:${from.id} ${kind} ${to.kind}:${to.id}`;
      if (this.emitted.has(key)) continue;
      this.emitted.add(key);
      const provenance = 'prometheus labels';
      appendEdge(this.builder, { from: this.entity(from), kind, to: this.entity(to), provenance });
    }
  }

  private entity({ kind, id, aliases, attributes }: Subject): number {
    return this.builder.entity(kind, id, aliases, attributesText(attributes ?? {}));
  }
}
