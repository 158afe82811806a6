import { convertUnit } from '../../../base/convert-unit.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendSample, attributesText } from '../../../model/rows/records.ts';
import { isMetricName, metrics } from '../../../model/telemetry/metric.ts';
import { implausible } from '../../../model/telemetry/plausible-reading.ts';
import type { EmissionMemory } from './emission-memory.ts';
import type { Quantity } from './quantity.ts';
import { machines, type RedfishEntity, redfishEntityKey } from './redfish-entity.ts';
import type { ResourceTree } from './resource-tree.ts';
import { PlaceSet } from './series-places.ts';

export interface Reading {
  readonly entity: RedfishEntity;
  readonly quantity: Quantity;
  readonly value: number;
  readonly time_ns: bigint;
  /** When its resource was requested, if that is known and `time_ns` is a time that the resource states. */
  readonly requested_ns?: bigint | undefined;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** Where a reading comes from: the sensor itself is the best source, the deprecated model the worst. */
export const RANK = { sensor: 0, excerpt: 1, old: 2 } as const;

interface Entry {
  reading: Reading | undefined;
  rank: number;
  thresholds: Readonly<Record<string, unknown>>;
  claim:
    | { readonly entity: RedfishEntity; readonly quantity: Quantity; readonly side?: string | undefined }
    | undefined;
  /** From the deprecated model, for a part: dropped if the new model reports the same. */
  partOnly: boolean;
}

/** Metrics that state only the dimension: the resource that shows the sensor may name a better metric. */
const PLAIN =
  /^(hw\.(power|temperature|voltage|current|energy|frequency|fan\.speed|fan\.speed_ratio)|redfish\.(Reading|Percent))$/;

/** Collects the current readings of a tree, so that a sensor that several resources repeat is one series. */
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

  /** Sets the entity of a sensor, whichever resource reports its value: the entity that shows it as its own. */
  claim(key: string, entity: RedfishEntity, quantity: Quantity, side?: string): void {
    this.entry(key).claim ??= { entity, quantity, side };
  }

  /** The best-ranked reading of a key counts. */
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

  /** Metric and entity of the readings of a key, for histories of the same sensor. */
  meaning(key: string):
    | {
        readonly entity: RedfishEntity;
        readonly quantity: Quantity;
        readonly attributes: Readonly<Record<string, unknown>>;
      }
    | undefined {
    const entry = this.entries.get(key);
    if (!entry?.reading) return undefined;
    const { entity, quantity } = this.about(entry, entry.reading);
    return { entity, quantity, attributes: this.attributes(entry) };
  }

  *write(sampler: Sampler): Generator<void> {
    const identities = new Set<string>();
    for (const entry of this.entries.values())
      if (entry.reading && !entry.partOnly) identities.add(this.identity(entry));
    const written: (Reading & StatedAt)[] = [];
    const places = new Map<string, PlaceSet>();
    for (const [key, entry] of this.entries) {
      const { reading } = entry;
      if (!reading || (entry.partOnly && identities.has(this.identity(entry)))) continue;
      const { entity, quantity } = this.about(entry, reading);
      const place = placeOf(key);
      const sample = { ...reading, entity, quantity, attributes: this.attributes(entry), place };
      written.push(sample);
      const series = seriesText(sample);
      const placeSet = places.get(series) ?? new PlaceSet();
      placeSet.add(place);
      places.set(series, placeSet);
    }
    for (const sample of written) {
      sampler.sample(sample, places.get(seriesText(sample)));
      yield;
    }
  }

  /** A claim sets the entity of a sensor, and its metric if the dimension is the same. */
  private about({ claim }: Entry, reading: Reading): { readonly entity: RedfishEntity; readonly quantity: Quantity } {
    if (!claim) return reading;
    const { unit } = reading.quantity;
    // A sensor without a unit takes the metric of the claim.
    if (unit === '') return claim;
    // A margin or a limit stays one, even if a resource shows it as a temperature or power.
    const agrees = PLAIN.test(reading.quantity.metric) && convertUnit(1, unit, claim.quantity.unit) !== undefined;
    return { entity: claim.entity, quantity: agrees ? { ...claim.quantity, unit } : reading.quantity };
  }

  private identity(entry: Entry): string {
    const { reading, claim } = entry;
    const { entity, quantity } = this.about(entry, reading!);
    return `${redfishEntityKey(entity)} ${quantity.metric} ${claim?.side ?? reading?.attributes?.['side'] ?? ''}`;
  }

  private attributes({ reading, thresholds, claim }: Entry): Readonly<Record<string, unknown>> {
    return { ...reading?.attributes, ...(claim?.side ? { side: claim.side } : {}), ...thresholds };
  }
}

/** Where a value is stated: the address of a resource or of a member. */
interface StatedAt {
  readonly place: string;
}

/** The key of a reading without a sensor is its `place`, a line feed and the rest. */
const placeOf = (key: string): string => key.replace(/\n.*$/s, '');

const seriesText = ({ entity, quantity, attributes }: Omit<Reading, 'value' | 'time_ns'>): string =>
  `${redfishEntityKey(entity)}\n${quantity.metric}\n${attributesText(attributes ?? {})}`;

const CONTRADICTION = 'another value of the same series at the same time: the first one is kept';

const MOST_STUCK = 100_000;
const STUCK = 'sensor values change while their reading time stays the same: the time of the request is used';

/** Writes single values, each series once per time; a conflicting value gets its own series or is rejected. */
export class Sampler {
  private readonly builder: BatchBuilder;
  private readonly memory: EmissionMemory;
  private readonly tree: Pick<ResourceTree, 'requestTimes' | 'get'>;
  /** Series of this poll that state no time: of several resources with one series, the first counts. */
  private readonly present = new Map<string, Pick<Reading, 'value' | 'time_ns'>>();

  /** @param tree the files of rejects, and the times of requests (which no resource states) */
  constructor(builder: BatchBuilder, identities: EmissionMemory, tree: Pick<ResourceTree, 'requestTimes' | 'get'>) {
    this.builder = builder;
    this.memory = identities;
    this.tree = tree;
  }

  entity({ kind, id, aliases, attributes }: RedfishEntity): number {
    return this.builder.entity(kind, id, aliases, attributesText(attributes ?? {}));
  }

  /** @param rivals places that are about to report the same series */
  sample(placeSet: Reading & StatedAt, rivals?: PlaceSet): void {
    const { requested_ns, place } = placeSet;
    const isStuck = requested_ns !== undefined && this.memory.stuck.has(place);
    const reading = isStuck ? { ...placeSet, time_ns: requested_ns } : placeSet;
    const { entity, quantity, value, time_ns } = reading;
    const { metric, unit, counter } = quantity;
    const attributes = this.attributesOf(reading, rivals);
    if (attributes === undefined) return;
    if (attributes === CONTRADICTION) {
      if (requested_ns === undefined || isStuck) return this.reject(reading, CONTRADICTION);
      // The value changes while its reading time stays the same.
      if (this.memory.stuck.size < MOST_STUCK) this.memory.stuck.add(place);
      else return this.reject(reading, CONTRADICTION);
      this.builder.remark(STUCK);
      return this.sample(placeSet, rivals);
    }
    const converted = isMetricName(metric) ? convertUnit(value, unit, metrics[metric].unit) : undefined;
    const known = isMetricName(metric) && converted !== undefined;
    const doubt = known ? implausible(metric, converted) : undefined;
    if (doubt !== undefined) return this.reject(reading, doubt);
    appendSample(this.builder, {
      entity: this.entity(entity),
      metric: known ? metric : { name: metric, unit, ...(counter ? { counter } : {}) },
      time_ns,
      value: converted ?? value,
      attributes,
    });
  }

  /** Undefined: already written. */
  private attributesOf(
    reading: Reading & StatedAt,
    rivals?: PlaceSet,
  ): NonNullable<Reading['attributes']> | typeof CONTRADICTION | undefined {
    const { entity, place, attributes } = reading;
    const { places } = this.memory;
    const plain = seriesText(reading);
    // A reading of a machine may come from any of its boards; all resources that name a part are about that part.
    const added = machines.has(entity.kind) ? places.apart(plain, place, rivals) : places.together(plain, place);
    const whole = { ...attributes, ...added };
    const status = this.status(seriesText({ ...reading, attributes: whole }), reading);
    if (status === 'new') return whole;
    if (status === 'same') return undefined;
    const other = Object.keys(added).length > 0 ? undefined : places.separate(plain, place);
    if (other !== undefined) return this.attributesOf(reading);
    // Reported twice in one poll, at two times: the first counts.
    const before = this.present.get(seriesText({ ...reading, attributes: whole }));
    if (before !== undefined && before.time_ns !== reading.time_ns) return undefined;
    return this.memory.isNew(`contradiction ${place} ${plain} ${reading.value} ${reading.time_ns}`)
      ? CONTRADICTION
      : undefined;
  }

  private reject(reading: Reading & StatedAt, reason: string): void {
    const { place, quantity, value } = reading;
    const excerpt = `${seriesText(reading).replaceAll('\n', ' ')}: ${value} ${quantity.unit} (${place})`;
    const series = `${place}\n${seriesText(reading)}\n${reason === CONTRADICTION}`;
    if (this.memory.rejected?.add(series, `${excerpt}: ${reason}`) === false) return;
    this.builder.reject(this.tree.get(place)?.file.path ?? place, 0, reason, excerpt);
  }

  private status(series: string, { value, time_ns }: Reading): ReturnType<EmissionMemory['compare']> {
    const isPresent = this.tree.requestTimes.has(time_ns);
    const before = isPresent ? this.present.get(series) : undefined;
    if (isPresent && before === undefined) this.present.set(series, { value, time_ns });
    if (before !== undefined) return Object.is(before.value, value) ? 'same' : 'other';
    return this.memory.compare(`${series}\n${time_ns}`, value);
  }
}
