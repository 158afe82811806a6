import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendSample } from '../../../model/rows/records.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { type EnergyReading, powerBetween } from './energy-counter.ts';
import { NO_LIMIT_W } from './format.ts';
import { type HostEntities, PROVENANCE } from './host-entities.ts';
import type { Snapshot, TreeValue, Zone } from './snapshot.ts';

/** What a zone measures: a package and its memory, parts of a package, or the whole platform. */
type Domain = 'package' | 'dram' | 'core' | 'uncore' | 'psys' | (string & {});

interface Limit {
  /** Undefined: no limit is set. */
  readonly watts: number | undefined;
  readonly raw: string;
}

/** State from one sample to the next. */
export interface ZoneMemory {
  readonly energy: Map<string, EnergyReading>;
  readonly limits: Map<string, Limit>;
}
export const newMemory = (): ZoneMemory => ({ energy: new Map(), limits: new Map() });

interface Place {
  readonly domain: Domain;
  /** Undefined for the platform. */
  readonly cpu: number | undefined;
  readonly die: string | undefined;
}

/** Content of a missing value, or of one that the copying user could not read. */
const isAbsent = (text: string): boolean => text === '' || /denied|not permitted|no such|no data/i.test(text);

/** NaN if nothing is reported; a value that is neither a number nor absent is rejected. */
export function numberIn(builder: BatchBuilder, value: TreeValue | undefined): number {
  if (!value || isAbsent(value.text)) {
    if (value && value.text !== '')
      builder.remark(`some files could not be read where the tree was copied: ${value.text.slice(-80)}`);
    return Number.NaN;
  }
  if (/^[-+]?\d{1,20}$/.test(value.text)) return Number(value.text);
  builder.reject(value.path, 0, 'not a number', value.text);
  return Number.NaN;
}

/** `package-10`, `package-0-die-1`, `psys`; sub-zones belong to the package of the zone above them. */
function placeOf(zone: Zone, zones: Snapshot['zones']): Place {
  const written = zone.files.get('name')?.text ?? '';
  const name = /^[\w-]{1,40}$/.test(written) ? written : '';
  const [top = '', sub] = zone.id.split(':');
  const own = /^package-(\d{1,4})(?:-die-(\d{1,3}))?$/.exec(name);
  if (own) return { domain: 'package', cpu: Number(own[1]), die: own[2] };
  if (sub === undefined) {
    if (name === 'psys') return { domain: 'psys', cpu: undefined, die: undefined };
    // Without its name a top zone is a package by convention; the suffix is hexadecimal.
    return { domain: name || 'package', cpu: Number.parseInt(top, 16), die: undefined };
  }
  const parent = zones.get(`${zone.control}:${top}`);
  const above = parent ? placeOf(parent, zones) : { cpu: Number.parseInt(top, 16), die: undefined };
  return { domain: name || `zone ${zone.id}`, cpu: above.cpu, die: above.die };
}

/** The same package seen through the memory-mapped registers; its counters count the same energy once more. */
const isDuplicate = (zone: Zone, zones: Snapshot['zones']): boolean =>
  zone.control.endsWith('-mmio') && zones.has(`${zone.control.replace('-mmio', '')}:${zone.id}`);

export class ZoneRows {
  private readonly builder: BatchBuilder;
  private readonly host: HostEntities;
  private readonly memory: ZoneMemory;

  constructor(builder: BatchBuilder, host: HostEntities, memory: ZoneMemory) {
    this.builder = builder;
    this.host = host;
    this.memory = memory;
  }

  append({ zones }: Snapshot): void {
    let counters = 0;
    for (const [key, zone] of [...zones].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const place = placeOf(zone, zones);
      const entity = this.host.cpu(place.cpu);
      if (isDuplicate(zone, zones))
        this.builder.remark('intel-rapl-mmio counts the same energy as intel-rapl: only its power limits were taken');
      else if (this.appendEnergy(key, zone, place, entity)) counters++;
      this.appendLimits(key, zone, place, entity);
    }
    if (zones.size > 0 && counters === 0)
      this.builder.remark('no energy counters in the tree: energy_uj is readable by root only since Linux 5.10');
  }

  /** Cores and the uncore are parts of the package and the platform contains it: they have separate metric names. */
  private appendEnergy(key: string, zone: Zone, place: Place, entity: number): boolean {
    const file = zone.files.get('energy_uj');
    const microjoules = numberIn(this.builder, file);
    if (!file || !(microjoules >= 0)) return false;
    const { time_ns } = file;
    const range = numberIn(this.builder, zone.files.get('max_energy_range_uj'));
    const reading = { time_ns, microjoules, range };
    const attributes = { domain: place.domain, die: place.die };
    const part = place.domain !== 'package' && place.domain !== 'dram' && place.domain !== 'psys';
    const energy = part ? ({ name: `rapl.${place.domain}.energy`, unit: 'J' } as const) : ('hw.energy' as const);
    appendSample(this.builder, { entity, metric: energy, time_ns, value: microjoules / 1e6, attributes });
    const before = this.memory.energy.get(key);
    this.memory.energy.set(key, reading);
    if (!before) return true;
    const between = powerBetween(before, reading);
    if ('reason' in between) {
      this.builder.remark(`no power between two samples: ${between.reason}`);
      return true;
    }
    if (between.ambiguous)
      this.builder.remark(
        'samples lie so far apart that an energy counter may have wrapped unseen: power is a lower bound',
      );
    const power = part ? ({ name: `rapl.${place.domain}.power`, unit: 'W' } as const) : ('hw.power' as const);
    appendSample(this.builder, { entity, metric: power, time_ns, value: between.watts, attributes });
    return true;
  }

  private appendLimits(key: string, zone: Zone, place: Place, entity: number): void {
    for (const [name, value] of zone.files) {
      const number = /^constraint_(\d)_power_limit_uw$/.exec(name)?.[1];
      if (number === undefined) continue;
      const file = (part: string) => zone.files.get(`constraint_${number}_${part}`);
      const limit = this.limitOf(zone, value);
      if (limit === undefined) continue;
      const window = numberIn(this.builder, file('time_window_us'));
      const most = numberIn(this.builder, file('max_power_uw'));
      const attributes = {
        domain: place.domain,
        die: place.die,
        constraint: file('name')?.text || number,
        interface: zone.control,
        window_s: window > 0 ? window / 1e6 : undefined,
        max_power_w: most > 0 ? most / 1e6 : undefined,
      };
      if (limit.watts !== undefined)
        appendSample(this.builder, {
          entity,
          metric: 'hw.power.limit',
          time_ns: value.time_ns,
          value: limit.watts,
          attributes,
        });
      this.appendChange(`${key} ${number}`, limit, value, entity, attributes);
    }
  }

  /** Undefined if the file is empty; without watts if it states that there is no limit. */
  private limitOf(zone: Zone, value: TreeValue): Limit | undefined {
    const microwatts = numberIn(this.builder, value);
    if (!(microwatts >= 0)) return undefined;
    const disabled = zone.files.get('enabled')?.text === '0';
    const watts = microwatts / 1e6;
    return { watts: disabled || watts === 0 || watts >= NO_LIMIT_W ? undefined : watts, raw: value.text };
  }

  private appendChange(
    key: string,
    limit: Limit,
    value: TreeValue,
    entity: number,
    attributes: Readonly<Record<string, unknown>>,
  ): void {
    const before = this.memory.limits.get(key);
    this.memory.limits.set(key, limit);
    if (!before || before.watts === limit.watts) return;
    const lowered = limit.watts !== undefined && (before.watts === undefined || limit.watts < before.watts);
    const limitText = (watts: number | undefined) => (watts === undefined ? 'none' : `${watts} W`);
    appendEvent(this.builder, {
      entity,
      time_ns: value.time_ns,
      type: lowered ? 'cpu_power_cap' : 'power_cap_removed',
      severity: lowered ? 'medium' : 'low',
      message: `${String(attributes.constraint)} power limit of ${String(attributes.domain)}: ${limitText(before.watts)} to ${limitText(limit.watts)}`,
      origin: PROVENANCE,
      attributes: { ...attributes, limit_w_before: before.watts, limit_w: limit.watts },
      raw: `${value.path}: ${before.raw} -> ${limit.raw}`,
    });
  }
}
