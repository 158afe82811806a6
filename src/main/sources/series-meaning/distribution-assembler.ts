import { bucketsDetail, createdAt, type Place, quantilesDetail } from './distribution-detail.ts';
import { parseValue } from './parse-value.ts';

/** A series as named by its container: Prometheus name, labels without `__name__`. */
export interface LabelledSeries {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  /** What else separates series of this name and these labels; '' where nothing does. */
  readonly scope: string;
}

/** Values of one series, in any order: nanoseconds since 1970, and as many numbers. */
export interface Values {
  readonly time_ns: BigInt64Array;
  readonly value: readonly number[];
}

/** A histogram or summary at one instant; `start_ns` 0 and NaN are unknown. */
export interface Assembled {
  readonly kind: 'histogram' | 'summary';
  readonly start_ns: bigint;
  readonly time_ns: bigint;
  readonly count: number;
  readonly sum: number;
  readonly detail: string;
}

/** Where assembled rows go. Each yields after every row, so that a batch may end there. */
export interface AssemblySink<S extends LabelledSeries> {
  /** A series that belongs to no distribution. */
  plain(series: S, values: Values): Generator<void>;
  /** @param series under the name of the distribution, without the label of the bound or quantile */
  distribution(series: S, rows: Iterable<Assembled>): Generator<void>;
  remark(text: string): void;
}

type PartKind = 'bucket' | 'quantile' | 'sum' | 'count' | 'created';
interface Part extends Values {
  readonly kind: PartKind;
  /** The bound or quantile as written and as a number. */
  readonly text: string;
  readonly at: number;
}
interface Held<S> {
  /** The first of its series, under the name of the distribution. */
  readonly series: S;
  readonly parts: Part[];
  isPlain: boolean;
}

/** Values that wait for the rest of their distribution: 64 MiB of numbers. A series weighs so many values itself. */
const MOST_HELD = 8_000_000;
const SERIES_WEIGHT = 32;
/** Bounds times instants of one distribution. */
const MOST_CELLS = 20_000_000;
const TOO_LARGE = 'histograms that are too large to assemble stay series of their buckets';

const PART = /^(.+)_(bucket|sum|count|created)$/;

/** Whether a series may be part of a distribution, by its name and the names of its labels. */
export const mayBePart = (name: string, hasLabel: (label: string) => boolean): boolean =>
  hasLabel('quantile') || (name.endsWith('_bucket') ? hasLabel('le') : /_(?:sum|count|created)$/.test(name));

/**
 * Assembles classic histograms and summaries (https://prometheus.io/docs/concepts/metric_types/) from containers that list one
 * series after another, as answers to range queries and tables of samples do. Parts may come in any order and far apart: they are
 * held until {@link end}. A distribution that is too large to hold stays as the series that were recorded, with a remark.
 */
export class DistributionAssembler<S extends LabelledSeries> {
  private readonly held = new Map<string, Held<S>>();
  private weight = 0;
  /** Most series of an answer have the same times: these are held once. */
  private times = new BigInt64Array(0);
  private readonly sink: AssemblySink<S>;
  private readonly most: number;

  constructor(sink: AssemblySink<S>, most = MOST_HELD) {
    this.sink = sink;
    this.most = most;
  }

  *add(series: S, values: Values): Generator<void> {
    const part = partOf(series);
    if (!part) return yield* this.sink.plain(series, values);
    const held = this.heldFor(series, part);
    const weight = values.value.length + SERIES_WEIGHT;
    if (!held.isPlain && this.weight + weight > this.most) yield* this.release(held);
    if (held.isPlain) return yield* this.sink.plain(series, values);
    this.weight += weight;
    held.parts.push({ ...part, time_ns: this.shared(values.time_ns), value: values.value });
  }

  /** Writes everything that is held. */
  *end(): Generator<void> {
    for (const held of this.held.values()) {
      const kinds = new Set(held.parts.map(({ kind }) => kind));
      const kind = kinds.has('bucket') ? 'histogram' : kinds.has('quantile') ? 'summary' : undefined;
      const isOf = (part: Part) => kind === 'summary' || part.kind !== 'quantile';
      const rows = kind && this.rows(kind, held.parts.filter(isOf));
      if (!rows) yield* this.writePlain(held, held.parts);
      else {
        yield* this.sink.distribution(held.series, rows);
        yield* this.writePlain(
          held,
          held.parts.filter((part) => !isOf(part)),
        );
      }
    }
    this.held.clear();
    this.weight = 0;
  }

  private heldFor(series: S, { stem, label }: FoundPart): Held<S> {
    const labels = [...series.labels].filter(([name]) => name !== label).sort(([a], [b]) => (a < b ? -1 : 1));
    const key = `${series.scope}\n${stem}\n${JSON.stringify(labels)}`;
    let held = this.held.get(key);
    if (!held) {
      held = { series: { ...series, name: stem, labels: new Map(labels) }, parts: [], isPlain: false };
      this.held.set(key, held);
    }
    return held;
  }

  private shared(times: BigInt64Array): BigInt64Array {
    const before = this.times;
    if (times.length !== before.length || times.some((time, i) => time !== before[i]))
      this.times = times as typeof before;
    return this.times;
  }

  private *release(held: Held<S>): Generator<void> {
    this.sink.remark(TOO_LARGE);
    held.isPlain = true;
    yield* this.writePlain(held, held.parts);
    this.weight -= held.parts.reduce((sum, { value }) => sum + value.length + SERIES_WEIGHT, 0);
    held.parts.length = 0;
  }

  private *writePlain({ series }: Held<S>, parts: readonly Part[]): Generator<void> {
    for (const part of parts) {
      const isQuantile = part.kind === 'quantile';
      const labels = new Map(series.labels);
      if (isQuantile || part.kind === 'bucket') labels.set(isQuantile ? 'quantile' : 'le', part.text);
      yield* this.sink.plain(
        { ...series, name: isQuantile ? series.name : `${series.name}_${part.kind}`, labels },
        part,
      );
    }
  }

  /** undefined: the instants of the parts differ so much that a table of them would be too large. */
  private rows(kind: Assembled['kind'], parts: readonly Part[]): Iterable<Assembled> | undefined {
    const times = timesOf(parts);
    const wanted = kind === 'histogram' ? 'bucket' : 'quantile';
    const byPlace = Map.groupBy(parts, (part) => (part.kind === wanted ? part.at : part.kind));
    if (byPlace.size * times.length > MOST_CELLS) {
      this.sink.remark(TOO_LARGE);
      return undefined;
    }
    const columns = new Map([...byPlace].map(([place, own]) => [place, columnOf(own, times)]));
    return this.instants(kind, times, columns);
  }

  private *instants(
    kind: Assembled['kind'],
    times: BigInt64Array,
    columns: ReadonlyMap<number | PartKind, Column>,
  ): Generator<Assembled> {
    const places = [...columns]
      .flatMap(([place, column]) => (typeof place === 'number' ? [[place, column] as const] : []))
      .sort(([a], [b]) => a - b);
    const at = (part: PartKind, i: number): number | undefined => columns.get(part)?.[i];
    for (const [i, time_ns] of times.entries()) {
      const ordered: Place[] = [];
      for (const [place, { [i]: value }] of places) if (value !== undefined) ordered.push([place, value]);
      const highest = ordered.at(-1);
      const all = kind === 'histogram' && highest?.[0] === Infinity ? highest[1] : Number.NaN;
      const count = at('count', i) ?? all;
      if (kind === 'histogram' && Number.isNaN(count))
        this.sink.remark(
          'histograms without a bucket +Inf and without a count: what is above their last bound is unknown',
        );
      const detail = kind === 'summary' ? quantilesDetail(ordered) : bucketsDetail(ordered, count);
      const start_ns = createdAt(at('created', i) ?? 0);
      yield { kind, start_ns, time_ns, count, sum: at('sum', i) ?? Number.NaN, detail };
    }
  }
}

interface FoundPart extends Pick<Part, 'kind' | 'text' | 'at'> {
  /** The name of the distribution. */
  readonly stem: string;
  /** The label of the bound or quantile; '' for parts without one. */
  readonly label: string;
}

function partOf({ name, labels }: LabelledSeries): FoundPart | undefined {
  const [, stem = '', ending = ''] = PART.exec(name) ?? [];
  if (ending === 'bucket') {
    const text = labels.get('le');
    const at = text === undefined ? undefined : parseValue(text);
    if (text === undefined || at === undefined || Number.isNaN(at)) return undefined;
    return { kind: 'bucket', stem, label: 'le', text, at };
  }
  const text = labels.get('quantile');
  if (text !== undefined) {
    const at = parseValue(text);
    return at !== undefined && at >= 0 && at <= 1
      ? { kind: 'quantile', stem: name, label: 'quantile', text, at }
      : undefined;
  }
  if (ending === '') return undefined;
  return { kind: ending as PartKind, stem, label: '', text: '', at: Number.NaN };
}

/** The histogram that a bucket belongs to, under its name and without the bound; undefined for any other series. */
export function histogramOf<S extends LabelledSeries>(series: S): S | undefined {
  const part = partOf(series);
  if (part?.kind !== 'bucket') return undefined;
  return { ...series, name: part.stem, labels: new Map([...series.labels].filter(([label]) => label !== part.label)) };
}

/** All times, ascending, once each. */
function timesOf(parts: readonly Part[]): BigInt64Array {
  const lists = new Set(parts.map(({ time_ns }) => time_ns));
  const all = new Set<bigint>();
  for (const list of lists) for (const time of list) all.add(time);
  return BigInt64Array.from(all).sort();
}

type Column = readonly (number | undefined)[];

/** Values by the place of their time; of two values of one time the later one counts. */
function columnOf(parts: readonly Part[], times: BigInt64Array): Column {
  const column = new Array<number | undefined>(times.length).fill(undefined);
  let places: Map<bigint, number> | undefined;
  for (const { time_ns, value } of parts) {
    const isAligned = time_ns.length === times.length && time_ns.every((time, i) => time === times[i]);
    if (!isAligned) places ??= new Map(Array.from(times, (time, i) => [time, i]));
    for (const [i, one] of value.entries()) {
      const place = isAligned ? i : places?.get(time_ns[i]!);
      if (place !== undefined) column[place] = one;
    }
  }
  return column;
}
