import type { EventFact } from '../../store/facts/reader.ts';
import { together } from '../evidence/effects.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { eventRef, type Line, line } from '../evidence/kind.ts';
import type { IncidentContext } from '../ranking/incident-context.ts';
import { ranking } from '../ranking/parameters.ts';
import { isHarmless } from './event-traits.ts';
import { causality } from './parameters.ts';

/**
 * The same event at the same time on other entities behind the same supply: two PDUs do not sag within a second by chance.
 * Their supply is the suspect then, recorded or not, and none of them.
 */
export function commonSourceLines(event: EventFact, context: IncidentContext): Line[] {
  const { graph, mechanisms } = context.input;
  if (event.entity < 0 || mechanisms.causesOf(event.type).every(({ relation }) => relation !== 'below')) return [];
  const own = new Set([event.entity, ...graph.machinesOf(event.entity)]);
  const fedEntity = fedEntityOf(event.entity, own, context);
  return linesOf(sameElsewhere(event, fedEntity, context), fedEntity, context);
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
    if (entity.isTop && graph.isFed(first.entity, key)) return [];
    // Another entity than the one above may cause the effects: for a port, either switch.
    return sameElsewhere(first, { ...entity, sources: sourcesBeyond(first.entity, own, context) }, context);
  });
  return linesOf(
    found.reduce((most, one) => (one.length > most.length ? one : most), []),
    entity,
    context,
  );
}

function linesOf(others: readonly EventFact[], { isCut }: FedEntity, { input: { graph } }: IncidentContext): Line[] {
  const deviceIds = [...new Set(others.map(({ device_id }) => device_id))];
  const [first] = others;
  if (!first) return [];
  const isUnknown = isCut || others.some(({ entity }) => graph.isCutOff(entity));
  const parameters = { type: first.type, devices: namesOf(deviceIds), isUnknown };
  return [line(together, Math.log1p(deviceIds.length), parameters, others.map(eventRef))];
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
  readonly sources: readonly number[];
  /** Its supplies are not all in the topology. */
  readonly isCut: boolean;
  /** Nothing can feed it. */
  readonly isTop: boolean;
}

const fedEntityOf = (key: number, own: ReadonlySet<number>, context: IncidentContext): FedEntity => {
  const sources = sourcesBeyond(key, own, context);
  const isCut = context.input.graph.isCutOff(key);
  return { own, sources, isCut, isTop: sources.length === 0 && !isCut };
};

function sameElsewhere(
  event: EventFact,
  { own, sources, isCut, isTop }: FedEntity,
  context: IncidentContext,
): EventFact[] {
  const { graph, doubts } = context.input;
  const slack = (one: EventFact): number => {
    const clocks =
      one.source_id === event.source_id ? 0 : Number(one.clock_uncertainty_ns + event.clock_uncertainty_ns) / 1e9;
    return Math.min(
      causality.togetherMostSeconds,
      causality.togetherSeconds + clocks + Math.max(doubts.mayBeLate_s(one), doubts.mayBeLate_s(event)),
    );
  };
  return context.eventsOfType(event.type).filter((one) => {
    if (one.entity < 0 || own.has(one.entity) || isHarmless(one) !== isHarmless(event)) return false;
    if (Math.abs(Number(one.time_ns - event.time_ns)) / 1e9 > slack(one)) return false;
    if (graph.machinesOf(one.entity).some((machine) => own.has(machine))) return false;
    if (hasCauseOfItsOwn(one, context)) return false;
    // The supply of one is not in the topology: it may be the supply of the other, or a common one.
    const isUnknown = isCut || graph.isCutOff(one.entity);
    if (isUnknown && isTop) return false;
    if (sources.some((source) => graph.below(source).has(one.entity))) return true;
    return isUnknown && graph.node(one.entity)?.kind === graph.node(event.entity)?.kind;
  });
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
