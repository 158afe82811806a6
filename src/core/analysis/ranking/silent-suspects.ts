import type { EventFact } from '../../store/facts/reader.ts';
import { commonSourceOfSilent } from '../causality/common-source.ts';
import { ConcurrentEvents, isWithin, type Reach } from '../causality/concurrent-events.ts';
import { isHarmless } from '../causality/event-traits.ts';
import type { Mechanism, Mechanisms } from '../causality/mechanisms.ts';
import { causality } from '../causality/parameters.ts';
import { explains } from '../evidence/effects.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { eventRef, type Line, line } from '../evidence/kind.ts';
import { path } from '../evidence/path.ts';
import { silentDevices, silentExplained, silentRival, silentShare, silentTogether } from '../evidence/silent.ts';
import type { EntityNode } from '../topology/entity-graph.ts';
import { otherFeeds } from '../topology/named-feed.ts';
import { pathValue } from './event-evidence/path.ts';
import { timeLines } from './event-evidence/time.ts';
import { severityLine } from './event-evidence/type.ts';
import { zoneLinesOf } from './event-evidence/zones.ts';
import { likeliest, type Suspect } from './hypothesis-line.ts';
import type { IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';
import {
  type Branches,
  branchesBelow,
  closeness,
  type Silent,
  shareOf,
  shareValue,
  silentSuspect,
} from './silent-branches.ts';
import { endedWithoutStart, suspectByEndings } from './silent-endings.ts';
import { gapLines, gapsIn } from './supposed-feeds.ts';
import { leftOpenLines } from './unexplained-harm.ts';
import { type Among, placeLikeness, weighAlike } from './weigh-alike.ts';

/**
 * Several devices fail together and no entity that they share reported anything: the shared silent supply is a suspect.
 * Devices of other services count too.
 */
export function suspectSilent(context: IncidentContext, among: Among): Suspect[] {
  const how = {
    likenessOf: (source: Source) => likenessOf(source, context),
    timeOf: ({ events, gaps, ended }: Source) => [...events, ...gaps, ...ended][0]!.time_ns,
    weigh: (source: Source) => likeliest(suspectsOf(source, context), among.weights) ?? null,
    supposed: ({ silent: { node } }: Source, like: Suspect): Suspect => ({
      ...like,
      subject: { kind: node.kind, id: node.id },
    }),
  };
  return weighAlike(silentSources(context), how, among);
}

/** An entity that may have failed without a report, and what happened below it. */
interface Source extends Below {
  readonly silent: Silent;
  /** Recoveries without a recorded beginning. */
  readonly ended: readonly EventFact[];
}

/** Silent entities that lead to the service, above anything that failed or recovered. */
function silentSources(context: IncidentContext): Source[] {
  const { graph, mechanisms } = context.input;
  const bySource = failuresBelow(context);
  const ended = new Map<number, EventFact[]>();
  for (const event of endedWithoutStart(context))
    for (const source of graph.above(event.entity)) add(ended, source, event);
  const eventsByEntity = Map.groupBy(context.links.events, ({ entity }) => entity);
  const unentered = gapsIn(bySource, context);
  const leadsHere = (event: EventFact): boolean => context.relationOf(event) !== 'other';
  return [...new Set([...bySource.keys(), ...ended.keys()])].flatMap((source) => {
    const node = graph.node(source);
    const type = node && mechanisms.silentCause(node.kind);
    const gaps = unentered.get(source) ?? [];
    const isOurs = context.relationOf({ entity: source }) !== 'other' || gaps.some(leadsHere);
    if (!node || !type || !isOurs) return [];
    const own = eventsByEntity.get(source) ?? [];
    if (own.some((event) => event.severity < 3 && mechanisms.rootWeight(event.type) > 0)) return [];
    const silent = { node, type, explained: physicalEffects(type, mechanisms) };
    return [{ silent, events: bySource.get(source) ?? [], gaps, ended: ended.get(source) ?? [] }];
  });
}

/** Failures that may come from above, by each entity above them. */
function failuresBelow(context: IncidentContext): ReadonlyMap<number, readonly EventFact[]> {
  const { graph, mechanisms } = context.input;
  const bySource = new Map<number, EventFact[]>();
  for (const event of context.links.events) {
    if (isHarmless(event) || mechanisms.causesOf(event.type).every(({ relation }) => relation !== 'below')) continue;
    const others = otherFeedsAround(event, context);
    // A PSU that lost its input is evidence on its own feed, not on the other.
    for (const source of graph.above(event.entity))
      if (source !== event.entity && !others.some((isOther) => isOther(source))) add(bySource, source, event);
  }
  return bySource;
}

function add(to: Map<number, EventFact[]>, source: number, event: EventFact): void {
  const known = to.get(source);
  if (known) known.push(event);
  else to.set(source, [event]);
}

/** By the effects of one failure each; where there are none, by recoveries. */
function suspectsOf({ silent, ended, ...below }: Source, context: IncidentContext): Suspect[] {
  const begun = suspects(silent, below, context);
  return begun.length > 0 ? begun : suspectByEndings(silent, ended, context);
}

/** What evidence can distinguish silent entities by, besides the time. */
function likenessOf({ silent, events, gaps, ended }: Source, context: IncidentContext): string {
  const { graph, background } = context.input;
  const { key, kind } = silent.node;
  const count = (of: readonly EventFact[]): string =>
    [...Map.groupBy(of, (event) => `${event.type} ${event.severity} ${event.clock_uncertainty_ns}`)]
      .map(([sort, alike]) => `${sort} ${alike.length}`)
      .sort()
      .join(', ');
  const traits = [kind, silent.type, context.relationOf({ entity: key }), background.isWatched(key)];
  return [...traits, count(events), count(gaps), count(ended), placeLikeness(key, graph)].join('; ');
}

const physicalEffects = (type: string, mechanisms: Mechanisms): readonly Mechanism[] =>
  mechanisms.causedBy(type).filter(({ relation, configured }) => relation === 'below' && !configured);

/**
 * Whether a source is another feed than the one whose loss the machine of an event recorded. Its causes on the same machine
 * name one; so does what may have caused it and was written within half a minute, whichever clock wrote which first.
 */
function otherFeedsAround(event: EventFact, context: IncidentContext): readonly ((source: number) => boolean)[] {
  const { graph, mechanisms } = context.input;
  const machines = graph.machinesOf(event.entity);
  const own = new Set(machines);
  const linked = context.links.causesOf(event).map(({ cause }) => cause);
  const causes = linked.filter((cause) => graph.machinesOf(cause.entity).some((box) => own.has(box)));
  const named = machines.flatMap((box) => context.once(feedsNamed).get(box) ?? []);
  const types = new Set(mechanisms.causesOf(event.type).map(({ cause }) => cause));
  const near = named.filter(
    (one) => types.has(one.type) && secondsBetween(one, event) <= causality.togetherMostSeconds,
  );
  return [event, ...causes, ...near].flatMap((one) => otherFeeds(one, graph) ?? []);
}

const secondsBetween = (a: EventFact, b: EventFact): number => Math.abs(Number(a.time_ns - b.time_ns)) / 1e9;

/** Events that name the feed which was lost, by machine. */
function feedsNamed({ input: { graph }, links }: IncidentContext): ReadonlyMap<number, readonly EventFact[]> {
  const naming = links.events.filter((event) => event.entity >= 0 && otherFeeds(event, graph) !== undefined);
  const byMachine = new Map<number, EventFact[]>();
  for (const event of naming) for (const box of graph.machinesOf(event.entity)) add(byMachine, box, event);
  return byMachine;
}

interface Below {
  readonly events: readonly EventFact[];
  /** Also of entities that it may feed. */
  readonly gaps: readonly EventFact[];
}

function suspects(silent: Silent, { events, gaps }: Below, context: IncidentContext): Suspect[] {
  const { node } = silent;
  const branches = new Map([
    ...gaps.map(({ entity }) => [entity, entity] as const),
    ...branchesBelow(node.key, context),
  ]);
  const own = [...events, ...gaps].filter((event) => branches.has(event.entity)).sort(byTime);
  return together(own, silent, { branches, context }).map((effects) =>
    silentSuspect(silent, context, [
      ...effectLines({ node, effects, branches }, context),
      ...timeLines(effects[0]!, context),
      ...zoneLinesOf(new Map(effects.map((effect) => [effect, 1])), context),
      ...gapLines(node, { effects, gaps }),
      ...commonSourceOfSilent(node.key, effects, context),
      ...leftOpenLines(new Set(effects.flatMap((effect) => [effect, ...context.explainedBy(effect).keys()])), context),
      severest(effects),
    ]),
  );
}

const byTime = (a: EventFact, b: EventFact): number => (a.time_ns < b.time_ns ? -1 : a.time_ns > b.time_ns ? 1 : 0);

/** Probability that recorded entities outside the branches explain the event, 0 to 1; then no silent one is needed. */
function explainedOutside(event: EventFact, branches: Branches, context: IncidentContext): number {
  const outside = context.links
    .causesOf(event)
    .filter(({ cause, mechanism }) => mechanism.relation === 'below' && !branches.has(cause.entity));
  return 1 - outside.reduce((left, link) => left * (1 - context.belief(link)), 1);
}

function severest(effects: readonly EventFact[]): Line {
  const worst = effects.reduce((a, b) => (b.severity < a.severity ? b : a));
  return severityLine(worst);
}

/**
 * Sets of effects of one assumed failure: for each event that may be its first effect, the later events that its mechanisms
 * allow. The evidence chooses the time: the set that covers most branches, the one that explains most, and the one nearest to
 * the onset. A fault in one branch only belongs to that branch.
 */
function together(
  events: readonly EventFact[],
  { explained }: Silent,
  { branches, context }: { readonly branches: Branches; readonly context: IncidentContext },
): readonly (readonly EventFact[])[] {
  const { doubts } = context.input;
  const delays = new Map<string, readonly [number, number]>();
  for (const { effect, delay_s } of explained) delays.set(effect, delays.get(effect) ?? delay_s);
  const able = events.filter(({ type }) => delays.has(type));
  const reachFrom = (first: EventFact): Reach => {
    const [soonest] = delays.get(first.type)!;
    return (event, clocks_s) => {
      const [least, most] = delays.get(event.type)!;
      const slack = ranking.truncatedSeconds + clocks_s;
      return [least - doubts.seenLate_s(first) - slack - soonest, most + doubts.mayBeLate_s(event) + slack - soonest];
    };
  };
  const times = new ConcurrentEvents(able, {
    keysOf: ({ entity }) => [branches.get(entity)],
    late_s: doubts.mayBeLate_s,
  });
  const from = (first: EventFact): EventFact[] => {
    const reach = reachFrom(first);
    return able.filter((event) => isWithin(event, first, reach));
  };
  const starts = able.flatMap((first): Start[] => {
    const { events: length, keys: width } = times.around(first, reachFrom(first));
    const distance_s = context.beforeOnset(first) + context.afterOnset(first);
    return width > 1 ? [{ first, width, length, distance_s }] : [];
  });
  const [head] = starts;
  if (!head) return [];
  const best = (isBetter: (a: Start, b: Start) => number) =>
    starts.reduce((a, b) => (isBetter(b, a) > 0 ? b : a), head).first;
  const widest = best((a, b) => a.width - b.width || b.distance_s - a.distance_s);
  const longest = best((a, b) => a.length - b.length || b.distance_s - a.distance_s);
  const nearest = best((a, b) => b.distance_s - a.distance_s || a.width - b.width || a.length - b.length);
  const runs = [...new Set([widest, longest, nearest])].map(from);
  return runs.filter((run, i) => !runs.slice(0, i).some((other) => isSame(run, other)));
}

const isSame = (a: readonly EventFact[], b: readonly EventFact[]): boolean =>
  a.length === b.length && a.every((event, i) => event === b[i]);

/** A run as numbers only: of ten thousand simultaneous failures each may be the first. */
interface Start {
  readonly first: EventFact;
  /** Branches with events of the run. */
  readonly width: number;
  readonly length: number;
  /** Between its first event and the onset. */
  readonly distance_s: number;
}

interface Effects {
  readonly node: EntityNode;
  readonly effects: readonly EventFact[];
  readonly branches: Branches;
}

function effectLines({ node, effects, branches }: Effects, context: IncidentContext): Line[] {
  const { graph } = context.input;
  const close = closeness(effects, branches);
  const shown = new Set(effects.map(({ entity }) => branches.get(entity)!));
  const refs = effects.map(eventRef);
  // Effects within the branches that recorded events of the same branch explain need no common cause.
  const own = new Set(effects);
  const known = effects.filter((effect) =>
    context.links.causesOf(effect).some(({ cause }) => branches.has(cause.entity) && !own.has(cause)),
  );
  const further = new Map<EventFact, number>(effects.map((effect) => [effect, ranking.silentEffectShare]));
  for (const effect of effects)
    for (const [event, strength] of context.explainedBy(effect))
      if (!further.has(event)) further.set(event, ranking.silentEffectShare * strength);
  const explained = [...further].reduce((sum, [event, strength]) => sum + strength * context.relevance(event), 0);
  const spared = effects.reduce((left, effect) => left * (1 - ranking.silentPathShare * context.path(effect)), 1);
  const rival = effects.reduce((sum, effect) => sum + explainedOutside(effect, branches, context), 0) / effects.length;
  const names = namesOf([...shown].map((key) => graph.node(key)?.id ?? '?'));
  const { watched, share } = shareOf(node.key, [...further.keys()], context);
  const { service } = context.input;
  return [
    line(silentDevices, Math.log(shown.size), { of: 'effects', branches: names, source: node.id, watched }, refs),
    line(silentShare, shareValue({ share, watched }), { of: 'effects', share, watched }, refs),
    line(silentTogether, close.value, { ...close.spread, type: null }, refs),
    line(
      silentExplained,
      known.length / effects.length,
      { count: known.length, of: effects.length },
      known.map(eventRef),
    ),
    line(silentRival, rival, {}, refs),
    line(explains, Math.log1p(explained), { of: 'silent', count: further.size }, refs),
    line(path, pathValue(1 - spared), { of: 'effects', service, share: 1 - spared }, refs),
  ];
}
