import { bucketsDetail, createdAt, quantilesDetail } from '../series-meaning/distribution-detail.ts';
import { parseValue } from '../series-meaning/parse-value.ts';
import type { Exemplar, PointWriter } from '../series-meaning/point-writer.ts';
import type { ScrapedSeries } from '../series-meaning/scraped.ts';
import { type Family, type Part, seriesOf } from './families.ts';

/** The lines of one histogram, summary or counter at one instant. */
interface Group {
  readonly key: string;
  readonly kind: 'histogram' | 'summary' | 'counter';
  readonly series: ScrapedSeries;
  readonly time_ns: bigint;
  readonly places: Map<number, number>;
  readonly exemplars: Exemplar[];
  value: number | undefined;
  sum: number;
  count: number;
  created_ns: bigint;
}

export interface GroupedSample {
  readonly family: Family;
  readonly part: Part;
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
  readonly time_ns: bigint;
  readonly exemplar: Exemplar | undefined;
}

/** More lines than any scrape has: a longer series of distributions is written in parts. */
const MAX_GROUPS = 50_000;

/** Assembles distributions from their lines, and counters with their creation time. */
export class Groups {
  private groups = new Map<string, Group>();

  get isFull(): boolean {
    return this.groups.size >= MAX_GROUPS;
  }

  /** Adds a line; returns the reason if it cannot. */
  add(sample: GroupedSample): string {
    const { family, part, value, time_ns, exemplar } = sample;
    const kind = family.type === 'summary' ? 'summary' : family.type === 'counter' ? 'counter' : 'histogram';
    const labels = new Map(sample.labels);
    const boundary = kind === 'histogram' ? 'le' : kind === 'summary' ? 'quantile' : undefined;
    const place = boundary === undefined ? undefined : labels.get(boundary);
    let at: number | undefined;
    if (boundary !== undefined && (part === 'bucket' || part === '')) {
      at = place === undefined ? undefined : parseValue(place);
      if (at === undefined || (kind === 'histogram' && Number.isNaN(at)))
        return `the label ${boundary} is not a number`;
      labels.delete(boundary);
    }
    const group = this.group(kind, sample, labels, time_ns);
    if (at !== undefined) group.places.set(at, value);
    else if (part === 'sum') group.sum = value;
    else if (part === 'count') group.count = value;
    else if (part === 'created') group.created_ns = createdAt(value);
    else group.value = value;
    if (exemplar) group.exemplars.push(exemplar);
    return '';
  }

  private group(
    kind: Group['kind'],
    { family, name }: GroupedSample,
    labels: Map<string, string>,
    time_ns: bigint,
  ): Group {
    // A counter's value line has `_total`, its `_created` line does not.
    const shown = kind === 'counter' ? `${name.replace(/_(total|created)$/, '')}_total` : family.name;
    const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1));
    const key = `${shown}\n${JSON.stringify(sorted)}`;
    const groupKey = `${key}\n${time_ns}`;
    let group = this.groups.get(groupKey);
    if (!group) {
      group = {
        key,
        kind,
        series: seriesOf(family, shown, labels),
        time_ns,
        places: new Map(),
        exemplars: [],
        value: undefined,
        sum: Number.NaN,
        count: Number.NaN,
        created_ns: 0n,
      };
      this.groups.set(groupKey, group);
    }
    return group;
  }

  /** Writes all groups, one by one, so that the caller may end a batch in between. */
  *flush(writer: PointWriter): Generator<void> {
    const { groups } = this;
    this.groups = new Map();
    for (const group of groups.values()) {
      if (group.kind === 'counter') this.writeCounter(writer, group);
      else this.writeDistribution(writer, group, group.kind);
      yield;
    }
  }

  private writeCounter(writer: PointWriter, { key, series, time_ns, value, created_ns, exemplars }: Group): void {
    if (value === undefined) return;
    writer.point(key, () => series, time_ns, value, created_ns);
    for (const exemplar of exemplars) writer.exemplar(key, () => series, 'sum', exemplar);
  }

  private writeDistribution(writer: PointWriter, group: Group, kind: 'histogram' | 'summary'): void {
    const { key, series, time_ns, places, sum, created_ns, exemplars } = group;
    const ordered = [...places].sort(([a], [b]) => a - b);
    const count =
      Number.isNaN(group.count) && kind === 'histogram' ? (places.get(Infinity) ?? Number.NaN) : group.count;
    const detail = kind === 'summary' ? quantilesDetail(ordered) : bucketsDetail(ordered, count);
    writer.distribution(key, () => series, kind, { start_ns: created_ns, time_ns, count, sum, detail });
    for (const exemplar of exemplars) writer.exemplar(key, () => series, kind, exemplar);
  }
}
