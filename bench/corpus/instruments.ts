import type { Chance } from './chance.ts';
import type { EntityRef, Variant } from './label.ts';
import type { EventSource, Named, RecordedEvent } from './recording.ts';
import { type Happening, type SourceName, sourceNames } from './scenario.ts';

/** Clock and habit of one source. */
interface Instrument {
  /** Seconds that its clock is ahead at the start of the recording. */
  readonly offset_s: number;
  /** Seconds per second. */
  readonly drift: number;
  /** A whole number of hours, for local time without a zone. */
  readonly zone_s: number;
  /** Polled each so many seconds; 0: it speaks at once. */
  readonly poll_s: number;
  readonly phase_s: number;
}

/**
 * Usual habits. Traps and kernel messages come at once; Redfish is polled (DMTF leaves the interval to the client: 5 to
 * 60 s in the field); dcgm-exporter collects each 1 to 30 s; building management answers each few seconds.
 */
const polls: Readonly<Record<SourceName, readonly [usual: readonly number[], late: readonly number[]]>> = {
  ups: [[0, 1], [5]],
  pdu_snmp: [
    [0, 1, 2],
    [5, 10],
  ],
  bms: [
    [2, 5],
    [15, 30],
  ],
  redfish: [
    [0, 0, 1, 2, 5],
    [15, 30, 60],
  ],
  rapl: [
    [1, 1, 2],
    [5, 10],
  ],
  kernel: [[0], [0]],
  nvml: [
    [1, 1, 5],
    [10, 15, 30],
  ],
  switch_snmp: [[0, 1], [5]],
  ufm: [[1, 2], [10]],
  kubernetes: [[0], [0]],
  aws_health: [[1], [60]],
  agent: [[1, 5], [10]],
};

export function createInstruments(
  chance: Chance,
  has: (variant: Variant) => boolean,
  scenarioSources: readonly SourceName[],
): ReadonlyMap<SourceName, Instrument> {
  const skewed = has('skewed_source') && scenarioSources.length > 0 ? chance.pick(scenarioSources) : undefined;
  const strange = has('wrong_zone') && scenarioSources.length > 0 ? chance.pick(scenarioSources) : undefined;
  return new Map(
    sourceNames.map((name) => {
      const poll_s = chance.pick(polls[name][has('late_sampling') ? 1 : 0]);
      const far = chance.between(5, 30) * (chance.chance(0.5) ? 1 : -1);
      const hours = chance.whole(1, 9) * (chance.chance(0.5) ? 1 : -1);
      return [
        name,
        {
          // NTP keeps machines within tens of milliseconds; quartz drifts by some 10 ppm, bad ones by 100.
          offset_s: name === skewed ? far : 0.06 * chance.normal(),
          drift: (name === skewed ? 80e-6 : 8e-6) * chance.normal(),
          zone_s: name === strange ? hours * 3600 : 0,
          poll_s,
          phase_s: chance.between(0, Math.max(poll_s, 0.001)),
        },
      ];
    }),
  );
}

/** Seconds that the source's clock is ahead at `at_s`. */
export const aheadAt = ({ offset_s, drift, zone_s }: Instrument, at_s: number): number =>
  offset_s + drift * at_s + zone_s;

function recordedAt(instrument: Instrument, at_s: number): number {
  const { poll_s, phase_s } = instrument;
  const seen_s = poll_s === 0 ? at_s : Math.ceil((at_s - phase_s) / poll_s) * poll_s + phase_s;
  return seen_s + aheadAt(instrument, seen_s);
}

export interface Recorded {
  readonly sources: readonly EventSource[];
  readonly ids: ReadonlyMap<Happening, string>;
  readonly repeats: Readonly<Record<string, string>>;
}

interface RecordingHabits {
  readonly chance: Chance;
  /** Chance that an event is reported twice. */
  readonly twice: number;
  readonly length_s: number;
  readonly aliases: readonly Named[];
}

/** Sources that name entities differently than the inventory's. */
const aliasKindOf: Readonly<Partial<Record<SourceName, string>>> = { redfish: 'asset_tag', nvml: 'gpu_uuid' };

/** What each source wrote down, in its own order and time, with some of it twice. */
export function record(
  happenings: readonly Happening[],
  instruments: ReadonlyMap<SourceName, Instrument>,
  { chance, twice, length_s, aliases }: RecordingHabits,
): Recorded {
  const ids = new Map<Happening, string>();
  const repeats: Record<string, string> = {};
  const sources = sourceNames.flatMap((name): EventSource[] => {
    const instrument = instruments.get(name)!;
    const mine = happenings.filter((one) => one.source === name && one.recorded && one.at_s > 0 && one.at_s < length_s);
    const reports = mine.map((happening) => ({
      happening,
      at_s: recordedAt(instrument, happening.at_s),
      again: false,
    }));
    for (const one of [...reports])
      if (chance.chance(twice))
        reports.push({ ...one, at_s: one.at_s + chance.pick([0, chance.between(0.1, 3)]), again: true });
    reports.sort((a, b) => a.at_s - b.at_s || Number(a.again) - Number(b.again));
    const again: (readonly [string, Happening])[] = [];
    const events = reports.map(({ happening, at_s, again: repeat }, i): RecordedEvent => {
      const id = `${name}-${i + 1}`;
      if (repeat) again.push([id, happening]);
      else ids.set(happening, id);
      const { type, severity, message } = happening;
      const entity = aliasedEntity(happening.entity, aliasKindOf[name], aliases);
      return { id, at_s, entity, type, severity, message };
    });
    for (const [id, happening] of again) repeats[id] = ids.get(happening)!;
    return events.length > 0 ? [{ name, events }] : [];
  });
  return { sources, ids, repeats };
}

function aliasedEntity(entity: EntityRef, by: string | undefined, aliases: readonly Named[]): EntityRef {
  const known = aliases.find(
    (one) => one.alias.kind === by && one.entity.kind === entity.kind && one.entity.id === entity.id,
  );
  return known ? { kind: entity.kind, id: known.alias.name } : entity;
}
