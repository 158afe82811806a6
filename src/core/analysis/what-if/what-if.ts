import { type EntityKind, type Layer, layerOf } from '../../../model/entity.ts';
import type { WhatIf } from '../../../model/incident/what-if.ts';
import { fail } from '../../../model/problem.ts';
import type { ClockFact, EdgeFact, EntityFact, EventFact, NamedEvent, Reader } from '../../store/facts/reader.ts';
import { moveFeeds } from '../topology/moved-feeds.ts';

/** Data that a what-if may change. */
export interface RecordedFacts {
  readonly entities: readonly EntityFact[];
  readonly edges: readonly EdgeFact[];
  readonly sources: readonly ClockFact[];
  /** The events named by the what-if. */
  readonly named: readonly NamedEvent[];
  readonly eventCounts: readonly { readonly kind: EntityKind | ''; readonly events: number }[];
  readonly recordedKinds: readonly EntityKind[];
  readonly watched: readonly number[];
  readonly repeated: readonly { readonly entity: number; readonly type: string; readonly times: number }[];
}

/** The same facts under the what-if. */
export interface SupposedFacts extends Pick<RecordedFacts, 'edges' | 'recordedKinds' | 'watched' | 'repeated'> {
  readonly eventCount: number;
  /** Nanoseconds to add to the times of a source's events, by source. */
  readonly shifts: ReadonlyMap<number, bigint>;
  /** Whether anything of such entities would still be recorded. */
  isKindRecorded(kind: EntityKind): boolean;
  /** Whether an event would still be recorded. */
  isEventRecorded(event: Pick<EventFact, 'event_id' | 'entity'>): boolean;
}

/**
 * A recording under a what-if; pure.
 * @throws ProblemError what_if.unknown_event, what_if.unknown_source, what_if.unknown_entity, what_if.ambiguous
 */
export function suppose(facts: RecordedFacts, whatIf: WhatIf): SupposedFacts {
  const without = new Set<Layer>(whatIf.without_layers);
  const kinds = new Map(
    facts.entities.filter((e) => e.entity_id === e.canonical_id).map((e) => [e.canonical_id, e.kind]),
  );
  const isDropped = (entity: number): boolean => {
    const kind = kinds.get(entity);
    return kind !== undefined && without.has(layerOf(kind));
  };
  const excluded = excludedEvents(facts, whatIf.without_events);
  // Events already removed with their layer are not removed twice.
  const alone = [...excluded.values()].filter(({ entity }) => !isDropped(entity));
  const left = facts.eventCounts.filter(({ kind }) => kind === '' || !without.has(layerOf(kind)));
  const fewer = Map.groupBy(alone, ({ entity, type }) => `${entity} ${type}`);
  return {
    edges: moveFeeds(facts, whatIf.moved_feeds),
    eventCount: left.reduce((sum, { events }) => sum + events, 0) - alone.length,
    recordedKinds: facts.recordedKinds.filter((kind) => !without.has(layerOf(kind))),
    watched: facts.watched.filter((entity) => !isDropped(entity)),
    repeated: facts.repeated.map((row) => ({
      ...row,
      times: row.times - (fewer.get(`${row.entity} ${row.type}`)?.length ?? 0),
    })),
    shifts: shiftsBySource(facts.sources, whatIf.clock_shifts),
    isKindRecorded: (kind) => !without.has(layerOf(kind)),
    isEventRecorded: ({ event_id, entity }) => !excluded.has(event_id) && !isDropped(entity),
  };
}

function excludedEvents({ named }: RecordedFacts, names: readonly string[]): ReadonlyMap<number, NamedEvent> {
  const known = new Set(named.map(({ name }) => name));
  const missing = names.find((name) => !known.has(name));
  if (missing !== undefined)
    fail('what_if.unknown_event', `no event "${missing}" was recorded`, {
      hint: 'name events by record id or evidence id, such as event:12',
    });
  return new Map(named.map((event) => [event.event_id, event]));
}

function shiftsBySource(sources: readonly ClockFact[], shifts: WhatIf['clock_shifts']): ReadonlyMap<number, bigint> {
  const found = new Map<number, bigint>();
  for (const { source, seconds } of shifts) {
    const named = sources.filter(({ name }) => name === source);
    const meant = named.length > 0 ? named : sources.filter(({ source_id }) => String(source_id) === source);
    const [only] = meant;
    if (!only)
      return fail('what_if.unknown_source', `there is no source "${source}" in this case`, {
        hint: `there are: ${shortList(sources.map(({ name }) => name)) || 'none'}`,
      });
    if (meant.length > 1)
      return fail('what_if.ambiguous', `"${source}" are ${meant.length} sources`, {
        hint: `name one by its number: ${shortList(meant.map(({ source_id }) => String(source_id)))}`,
      });
    const shift = BigInt(Math.round(seconds * 1e9));
    found.set(only.source_id, (found.get(only.source_id) ?? 0n) + shift);
  }
  return found;
}

const LISTED = 12;
const shortList = (names: readonly string[]): string =>
  names.length <= LISTED ? names.join(', ') : `${names.slice(0, LISTED).join(', ')} and ${names.length - LISTED} more`;

/** The reader of a case under a what-if, and the time shifts of its data sources. */
export interface SupposedReader {
  readonly reader: Reader;
  readonly shifts: ReadonlyMap<number, bigint>;
}

/** @throws ProblemError what_if.unknown_event, what_if.unknown_source, what_if.unknown_entity, what_if.ambiguous */
export async function supposedReader(reader: Reader, whatIf: WhatIf): Promise<SupposedReader> {
  const supposed = suppose(
    {
      entities: await reader.entities(),
      edges: await reader.edges(),
      sources: await reader.clockSources(),
      named: await reader.eventsNamed(whatIf.without_events),
      eventCounts: await reader.eventKinds(),
      recordedKinds: await reader.recordedKinds(),
      watched: await reader.watchedEntities(),
      repeated: await reader.repeatedEvents(),
    },
    whatIf,
  );
  const { edges, eventCount, recordedKinds, watched, repeated, shifts } = supposed;
  return {
    shifts,
    reader: {
      ...reader,
      edges: async () => [...edges],
      events: async (from, to) => (await reader.events(from, to)).filter(supposed.isEventRecorded),
      eventCount: async () => eventCount,
      recordedKinds: async () => [...recordedKinds],
      eventTypes: async (metrics) =>
        (await reader.eventTypes(metrics)).filter(({ kind }) => supposed.isKindRecorded(kind)),
      metricShifts: async (phases, most) => {
        const kinds = new Map((await reader.entities()).map((entity) => [entity.entity_id, entity.kind]));
        const shifts = await reader.metricShifts(phases, most);
        return shifts.filter(({ entity }) => supposed.isKindRecorded(kinds.get(entity) ?? 'device'));
      },
      watchedEntities: async () => [...watched],
      sampledEntities: async () => {
        const known = new Set(watched);
        return (await reader.sampledEntities()).filter((entity) => known.has(entity));
      },
      repeatedEvents: async () => [...repeated],
    },
  };
}

/** `without the power layer and with server-1 fed by PDU-C`; '' without assumptions. */
export function whatIfText({ without_layers, without_events, clock_shifts, moved_feeds }: WhatIf): string {
  const listText = (list: readonly string[], one: string): string =>
    list.length === 1 ? `${one} ${list[0]}` : `${one}s ${shortList(list)}`;
  const layers = without_layers.length === 1 ? 'layer' : 'layers';
  return [
    ...(without_layers.length > 0 ? [`without the ${without_layers.join(' and ')} ${layers}`] : []),
    ...(without_events.length > 0 ? [`without ${listText(without_events, 'event')}`] : []),
    ...clock_shifts.map(
      ({ source, seconds }) => `with ${source} ${Math.abs(seconds)} s ${seconds < 0 ? 'earlier' : 'later'}`,
    ),
    ...moved_feeds.map(({ to, from, instead_of }) => {
      const old = instead_of === null ? '' : ` instead of ${instead_of}`;
      return from === null ? `with ${to} not fed by ${instead_of ?? 'anything'}` : `with ${to} fed by ${from}${old}`;
    }),
  ].join(' and ');
}
