import { convertUnit } from '../../../base/convert-unit.ts';
import type { BatchBuilder } from '../../../model/batch-builder.ts';
import { isMetricName, metrics } from '../../../model/metric.ts';
import { appendSample, attributesText } from '../../../model/records.ts';
import type { Quantity } from './quantity.ts';
import { type Thing, thingKey } from './thing.ts';
import type { Told } from './told.ts';

export interface Reading {
  readonly thing: Thing;
  readonly quantity: Quantity;
  readonly value: number;
  readonly time_ns: bigint;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** Who says a reading: a sensor itself knows best, the deprecated model least. */
export const RANK = { sensor: 0, excerpt: 1, old: 2 } as const;

interface Entry {
  reading: Reading | undefined;
  rank: number;
  thresholds: Readonly<Record<string, unknown>>;
  claim: { readonly thing: Thing; readonly quantity: Quantity; readonly side?: string | undefined } | undefined;
  /** Told of its part by the old model: dropped when the new model tells the same. */
  partOnly: boolean;
}

/** Metrics that say no more than the dimension: who shows a sensor may know better what it is. */
const PLAIN =
  /^(hw\.(power|temperature|voltage|current|energy|frequency|fan\.speed|fan\.speed_ratio)|redfish\.(Reading|Percent))$/;

/** Collects what a tree says of the present, so that a sensor that several resources repeat is one series. */
export class ReadingBook {
  private readonly entries = new Map<string, Entry>();

  private entry(key: string): Entry {
    let entry = this.entries.get(key);
    if (!entry) {
      entry = { reading: undefined, rank: 9, thresholds: {}, claim: undefined, partOnly: false };
      this.entries.set(key, entry);
    }
    return entry;
  }

  /** Says what a sensor is about, whoever reports its value: the resource that shows it as its own. */
  claim(key: string, thing: Thing, quantity: Quantity, side?: string): void {
    this.entry(key).claim ??= { thing, quantity, side };
  }

  /** The best-ranked reading of a key is the one that counts. */
  add(
    key: string,
    rank: number,
    reading: Reading,
    options: { readonly thresholds?: Readonly<Record<string, unknown>>; readonly partOnly?: boolean } = {},
  ): void {
    const entry = this.entry(key);
    if (Object.keys(options.thresholds ?? {}).length > 0)
      entry.thresholds = { ...options.thresholds, ...entry.thresholds };
    if (rank >= entry.rank) return;
    entry.reading = reading;
    entry.rank = rank;
    entry.partOnly = options.partOnly ?? false;
  }

  /** What and whose the readings of a key are, for histories of the same sensor. */
  meaning(
    key: string,
  ):
    | { readonly thing: Thing; readonly quantity: Quantity; readonly attributes: Readonly<Record<string, unknown>> }
    | undefined {
    const entry = this.entries.get(key);
    if (!entry?.reading) return undefined;
    const { thing, quantity } = this.about(entry, entry.reading);
    return { thing, quantity, attributes: this.attributes(entry) };
  }

  *write(sampler: Sampler): Generator<void> {
    const told = new Set<string>();
    for (const entry of this.entries.values()) if (entry.reading && !entry.partOnly) told.add(this.identity(entry));
    for (const entry of this.entries.values()) {
      const { reading } = entry;
      if (!reading || (entry.partOnly && told.has(this.identity(entry)))) continue;
      const { thing, quantity } = this.about(entry, reading);
      sampler.sample({ ...reading, thing, quantity, attributes: this.attributes(entry) });
      yield;
    }
  }

  /** A claim tells whose a sensor is, and its metric where that measures the same dimension. */
  private about({ claim }: Entry, reading: Reading): { readonly thing: Thing; readonly quantity: Quantity } {
    if (!claim) return reading;
    const { unit } = reading.quantity;
    // A sensor that does not say what it measures is what others say it is.
    if (unit === '') return claim;
    // A margin or a limit stays what it is, whoever shows it as a temperature or power.
    const agrees = PLAIN.test(reading.quantity.metric) && convertUnit(1, unit, claim.quantity.unit) !== undefined;
    return { thing: claim.thing, quantity: agrees ? { ...claim.quantity, unit } : reading.quantity };
  }

  private identity(entry: Entry): string {
    const { reading, claim } = entry;
    const { thing, quantity } = this.about(entry, reading as Reading);
    return `${thingKey(thing)} ${quantity.metric} ${claim?.side ?? reading?.attributes?.['side'] ?? ''}`;
  }

  private attributes({ reading, thresholds, claim }: Entry): Readonly<Record<string, unknown>> {
    return { ...reading?.attributes, ...(claim?.side ? { side: claim.side } : {}), ...thresholds };
  }
}

/** Writes single values, each series at each time once. */
export class Sampler {
  private readonly builder: BatchBuilder;
  private readonly told: Told;
  private readonly asked: ReadonlySet<bigint>;
  /** Series of this reading that state no time of their own: of several resources that tell one, the first does. */
  private readonly present = new Set<string>();

  /** @param asked times that say when a resource was asked, not what it states */
  constructor(builder: BatchBuilder, told: Told, asked: ReadonlySet<bigint>) {
    this.builder = builder;
    this.told = told;
    this.asked = asked;
  }

  entity({ kind, id, aliases, attributes }: Thing): number {
    return this.builder.entity(kind, id, aliases, attributesText(attributes ?? {}));
  }

  sample({ thing, quantity, value, time_ns, attributes }: Reading): void {
    const { metric, unit, counter } = quantity;
    const series = `${thingKey(thing)}\n${metric}\n${attributesText(attributes ?? {})}`;
    if (this.asked.has(time_ns)) {
      if (this.present.has(series)) return;
      this.present.add(series);
    }
    if (!this.told.isNew(`${series}\n${time_ns}`)) return;
    const converted = isMetricName(metric) ? convertUnit(value, unit, metrics[metric].unit) : undefined;
    const known = isMetricName(metric) && converted !== undefined;
    appendSample(this.builder, {
      entity: this.entity(thing),
      metric: known ? metric : { name: metric, unit, ...(counter ? { counter } : {}) },
      time_ns,
      value: converted ?? value,
      ...(attributes ? { attributes } : {}),
    });
  }
}
