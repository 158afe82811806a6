import type { EventFact } from '../../store/facts/reader.ts';
import { together } from '../evidence/effects.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { eventRef, type Line, lineOnDemand } from '../evidence/kind.ts';
import type { IncidentContext } from '../ranking/incident-context.ts';
import { ranking } from '../ranking/parameters.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { computed } from '../topology/links.ts';
import { byTime } from './causal-links.ts';
import { ConcurrentEvents, isWithin, type Reach } from './concurrent-events.ts';
import { isHarmless } from './event-traits.ts';
import { causality } from './parameters.ts';

/**
 * The same event at the same time on other entities behind the same supply: two PDUs do not sag within a second by chance.
 * Their supply is the suspect then, recorded or not, and none of them.
 */
export function commonSourceLines(event: EventFact, context: IncidentContext): Line[] {
  const { graph, mechanisms } = context.input;
  if (event.entity < 0 || mechanisms.causesOf(event.type).every(({ relation }) => relation !== 'below')) return [];
  const fedEntity = computed(context.once(noFedEntities), event.entity, () =>
    fedEntityOf(event.entity, ownPlaces(event.entity, graph), context),
  );
  return linesOf(sameElsewhere(event, fedEntity, context), fedEntity, context);
}

const ends: ReadonlySet<string> = new Set(['port', 'nic']);

/** What has the same event because of this one is no company: its machine, what is behind it, and the other end of its cable. */
function ownPlaces(entity: number, graph: EntityGraph): ReadonlySet<number> {
  const isEnd = ends.has(graph.node(entity)?.kind ?? '');
  const others = isEnd ? [...graph.above(entity)].filter((one) => ends.has(graph.node(one)?.kind ?? '')) : [];
  return new Set([entity, ...graph.machinesOf(entity), ...graph.below(entity), ...others]);
}

/** As {@link commonSourceLines}, for a silent entity, by its effects. */
export function commonSourceOfSilent(key: number, effects: readonly EventFact[], context: IncidentContext): Line[] {
  const { graph } = context.input;
  const shown = effects.flatMap(({ entity }) => [entity, ...graph.machinesOf(entity)]);
  const own = new Set([key, ...graph.below(key), ...graph.machinesBelow(key), ...shown]);
  const entity = fedEntityOf(key, own, context);
  const firsts = [...Map.groupBy(effects, ({ type }) => type).values()].map(([first]) => first!);
  const found = firsts.map((first) => {
    // Above the last feed only the other feed is left: a link may be missing in the topology.
    if (entity.isTop && graph.isFed(first.entity, key)) return null;
    // Another entity than the one above may cause the effects: for a port, either switch.
    return sameElsewhere(
      first,
      { ...entity, highest: withoutFed(sourcesBeyond(first.entity, own, context), graph) },
      context,
    );
  });
  return linesOf(
    found.reduce((most, one) => ((one?.events ?? 0) > (most?.events ?? 0) ? one : most), null),
    entity,
    context,
  );
}

function linesOf(found: Elsewhere | null, { isCut }: FedEntity, { input: { graph } }: IncidentContext): Line[] {
  if (!found || found.events === 0) return [];
  const { type, devices, list } = found;
  const details = () => {
    const others = list();
    const names = namesOf([...new Set(others.map(({ device_id }) => device_id))]);
    const isUnknown = isCut || others.some(({ entity }) => graph.isCutOff(entity));
    return { parameters: { type, devices: names, isUnknown }, refs: others.map(eventRef) };
  };
  return [lineOnDemand(together, Math.log1p(devices), details)];
}

/** Entities that may fail silently and feed or contain an entity without being part of it. */
function sourcesBeyond(
  key: number,
  own: ReadonlySet<number>,
  { input: { graph, mechanisms } }: IncidentContext,
): number[] {
  return [...graph.above(key)].filter((source) => {
    const node = graph.node(source);
    return !own.has(source) && node !== undefined && mechanisms.silentCause(node.kind) !== undefined;
  });
}

interface FedEntity {
  /** With all its parts. */
  readonly own: ReadonlySet<number>;
  /** Entities that may fail silently and feed it, without those behind another of them. */
  readonly highest: readonly number[];
  /** Its supplies are not all in the topology. */
  readonly isCut: boolean;
  /** Nothing can feed it. */
  readonly isTop: boolean;
}

const fedEntityOf = (key: number, own: ReadonlySet<number>, context: IncidentContext): FedEntity => {
  const sources = sourcesBeyond(key, own, context);
  const isCut = context.input.graph.isCutOff(key);
  return { own, highest: withoutFed(sources, context.input.graph), isCut, isTop: sources.length === 0 && !isCut };
};

const noFedEntities = (): Map<number, FedEntity> => new Map();

/** The same event at the same time on other entities that may share a supply. */
interface Elsewhere {
  readonly type: string;
  readonly events: number;
  readonly devices: number;
  list(): readonly EventFact[];
}

function sameElsewhere(event: EventFact, fed: FedEntity, context: IncidentContext): Elsewhere {
  const { doubts } = context.input;
  const company = companyOf(event, fed, context);
  const late_s = doubts.mayBeLate_s(event);
  const reach: Reach = (one, clocks_s) => {
    const late = Math.max(doubts.mayBeLate_s(one), late_s);
    const slack = Math.min(causality.togetherMostSeconds, causality.togetherSeconds + clocks_s + late);
    return [-slack, slack];
  };
  const own = [...fed.own].flatMap((place) => company.byPlace.get(place)?.map(({ one }) => one) ?? []);
  const { events, keys: devices } = company.times.around(event, reach, own);
  const list = () => {
    const excluded = new Set(own);
    return company.events.filter((one) => !excluded.has(one) && isWithin(one, event, reach));
  };
  return { type: event.type, events, devices, list };
}

/** Events of one type that may share a supply, in order of time. */
interface Company {
  readonly events: readonly EventFact[];
  readonly times: ConcurrentEvents<string>;
  /** By their entities and machines. */
  readonly byPlace: ReadonlyMap<number, readonly { readonly one: EventFact }[]>;
}

const noCompanies = (): Map<string, Company> => new Map();

/** Entities with the same supplies have the same company. */
function companyOf(event: EventFact, { highest, isCut, isTop }: FedEntity, context: IncidentContext): Company {
  const { graph, doubts } = context.input;
  const kind = graph.node(event.entity)?.kind;
  const key = `${poolOf(event)} ${kind} ${isCut} ${isTop} ${highest}`;
  return computed(context.once(noCompanies), key, () => {
    const mayShare = ({ entity }: EventFact): boolean => {
      // The supply of one is not in the topology: it may be the supply of the other, or a common one.
      const isUnknown = isCut || graph.isCutOff(entity);
      if (isUnknown && isTop) return false;
      if (highest.some((source) => graph.below(source).has(entity))) return true;
      return isUnknown && graph.node(entity)?.kind === kind;
    };
    const all = context.once(withoutOwnCause).get(poolOf(event)) ?? noPool;
    const events = (isCut ? all.events : nearTo(highest, all, graph)).filter(mayShare);
    const placed = events.flatMap((one) =>
      [...new Set([one.entity, ...graph.machinesOf(one.entity)])].map((place) => ({ place, one })),
    );
    const byPlace = Map.groupBy(placed, ({ place }) => place);
    const rule = { keysOf: ({ device_id }: EventFact) => [device_id], late_s: doubts.mayBeLate_s };
    return { events, byPlace, times: new ConcurrentEvents(events, rule) };
  });
}

/** Supplies that are not behind another of them. */
function withoutFed(sources: readonly number[], graph: EntityGraph): readonly number[] {
  const highest: number[] = [];
  for (const source of sources.toSorted((a, b) => graph.below(b).size - graph.below(a).size || a - b))
    if (!highest.some((one) => graph.below(one).has(source))) highest.push(source);
  return highest;
}

/** Events of one type without a cause on their own machine, in order of time. */
interface Pool {
  readonly events: readonly EventFact[];
  readonly byEntity: ReadonlyMap<number, readonly EventFact[]>;
  /** Those of entities whose supplies are not all in the topology. */
  readonly cutOff: readonly EventFact[];
}

const noPool: Pool = { events: [], byEntity: new Map(), cutOff: [] };

const poolOf = (event: EventFact): string => `${event.type} ${isHarmless(event)}`;

function withoutOwnCause(context: IncidentContext): ReadonlyMap<string, Pool> {
  const { graph } = context.input;
  const alone = context.links.events.filter((one) => one.entity >= 0 && !hasCauseOfItsOwn(one, context));
  const pools = [...Map.groupBy(alone, poolOf)].map(([pool, events]): [string, Pool] => [
    pool,
    {
      events,
      byEntity: Map.groupBy(events, ({ entity }) => entity),
      cutOff: events.filter(({ entity }) => graph.isCutOff(entity)),
    },
  ]);
  return new Map(pools);
}

/** At least the events behind any of these supplies and those of unknown supplies, in order of time. */
function nearTo(
  sources: readonly number[],
  { events, byEntity, cutOff }: Pool,
  graph: EntityGraph,
): readonly EventFact[] {
  const behind = sources.reduce((sum, source) => sum + graph.below(source).size, 0);
  if (behind >= events.length) return events;
  const entities = new Set(sources.flatMap((source) => [...graph.below(source)]));
  const found = new Set([...[...entities].flatMap((entity) => byEntity.get(entity) ?? []), ...cutOff]);
  return [...found].sort(byTime);
}

/** Whether a recorded event on the same machine is the likely cause of an event. */
function hasCauseOfItsOwn(event: EventFact, context: IncidentContext): boolean {
  const { graph } = context.input;
  const own = new Set(graph.machinesOf(event.entity));
  return context.links
    .causesOf(event)
    .some(
      (link) =>
        graph.machinesOf(link.cause.entity).some((machine) => own.has(machine)) &&
        context.belief(link) > ranking.likelyBelief,
    );
}
