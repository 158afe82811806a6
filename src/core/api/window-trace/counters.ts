import { jsonMembers } from '../../../base/json-members.ts';
import type { ColumnShape, ReadColumns } from '../../../model/storage/engine.ts';
import { EXACT_NS, microsText } from './micros.ts';
import type { Tracks } from './tracks.ts';

export const pointShape = {
  series: 'i32',
  time: 'f64',
  time_ns: 'i64',
  start_ns: 'i64',
  value: 'f64',
  is_number: 'u8',
} as const satisfies Record<string, ColumnShape>;

export interface SeriesRow {
  readonly series_id: number;
  readonly metric: string;
  readonly kind: string;
  readonly entity: number;
  readonly unit: string | null;
  readonly description: string | null;
  readonly temporality: number;
  readonly monotonic: number;
  readonly attributes: string | null;
  readonly resource_entity: number | null;
  readonly resource_attributes: string | null;
  readonly schema_url: string | null;
}

/** Longer names are cut: they are shown next to the track. */
const LONGEST = 120;

/** Rows of {@link pointShape} as counters of their entity. */
export class CounterEvents {
  /** Points that a counter cannot hold: gaps, and what is no number. */
  leftOut = 0;
  private readonly tracks: Tracks;
  private readonly series: ReadonlyMap<number, SeriesRow>;
  private readonly known = new Map<number, string>();
  private readonly names = new Set<string>();

  constructor(tracks: Tracks, series: readonly SeriesRow[]) {
    this.tracks = tracks;
    this.series = new Map(series.map((one) => [one.series_id, one]));
  }

  *of({ columns }: ReadColumns, row: number): Generator<string> {
    const number = (name: keyof typeof pointShape): number => (columns[name] as Float64Array)[row]!;
    if (number('is_number') === 0) {
      this.leftOut++;
      return;
    }
    const head = this.head(number('series'));
    yield* this.tracks.take();
    const time = number('time');
    const start = (columns.start_ns as BigInt64Array)[row]!;
    // Beside `args`, of which every member is a counter.
    const memberTexts = [
      ...(start === 0n ? [] : [`"start_time_unix_nano":"${start}"`]),
      ...(time <= EXACT_NS ? [] : [`"time_unix_nano":"${(columns.time_ns as BigInt64Array)[row]}"`]),
    ];
    const ownMembers = memberTexts.length === 0 ? '' : `,"faultline":{${memberTexts.join(',')}}`;
    const value = Object.is(number('value'), -0) ? '-0.0' : String(number('value'));
    yield `${head},"ts":${microsText(time)},"args":{"value":${value}}${ownMembers}}`;
  }

  /** Everything of an event but its time and value. */
  private head(id: number): string {
    const known = this.known.get(id);
    if (known) return known;
    const one = this.series.get(id)!;
    const { pid } = this.tracks.process(one.entity, -1);
    const name = this.nameOf(pid, one);
    const { series_id, entity, resource_entity, resource_attributes, schema_url, ...sampleFields } = one;
    const resource =
      resource_attributes === null && resource_entity === null
        ? undefined
        : {
            entity: this.tracks.keyOf(resource_entity ?? -1),
            attributes: resource_attributes ?? undefined,
            schema_url: schema_url ?? undefined,
          };
    this.tracks.writeMetadata(pid, 'faultline_series', { counter: name, ...sampleFields, resource });
    const head = `{"ph":"C","pid":${pid},"name":${JSON.stringify(name)}`;
    this.known.set(id, head);
    return head;
  }

  /** `hw.power {outlet: 3} (W)`; a counter is known by its process and its name. */
  private nameOf(pid: number, { metric, unit, attributes }: SeriesRow): string {
    const labels = Object.entries(jsonMembers(attributes ?? '')).map(
      ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
    const about = labels.length === 0 ? '' : ` {${cut(labels.join(', '))}}`;
    const name = `${metric}${about}${unit === null || unit === '1' ? '' : ` (${unit})`}`;
    for (let number = 1; ; number++) {
      const free = number === 1 ? name : `${name} #${number}`;
      if (this.names.has(`${pid} ${free}`)) continue;
      this.names.add(`${pid} ${free}`);
      return free;
    }
  }
}
