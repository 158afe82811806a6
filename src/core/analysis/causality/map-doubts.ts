import type { EntityKind } from '../../../model/entity.ts';
import type { MapDoubt } from '../../../model/topology.ts';
import type { EdgeFact, EventFact } from '../../store/facts/reader.ts';
import { noDoubts } from '../clocks/time-doubts.ts';
import { eventRef } from '../evidence/kind.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { CausalLinks, type Link } from './causal-links.ts';
import type { Mechanisms } from './mechanisms.ts';
import { causality } from './parameters.ts';

/** Contradictions between data and topology at one time. */
export interface MapFacts {
  readonly graph: EntityGraph;
  /** The whole topology at any time. */
  readonly edges: readonly EdgeFact[];
  readonly at_ns: bigint;
  /** Around that time. */
  readonly events: readonly EventFact[];
  readonly mechanisms: Mechanisms;
  /** Whether a data source recorded anything about an entity: only then is its silence evidence. */
  isWatchedBy(entity: number, source: number): boolean;
}

/** These have one inlet each; a machine may have two. */
const oneInlet: ReadonlySet<EntityKind> = new Set(['psu', 'outlet']);
const supplyKinds: ReadonlySet<EntityKind> = new Set(['ups', 'pdu', 'outlet', 'breaker', 'switch', 'cooling']);
/** Contradictions between records and topology: conflicting edges, ended edges, entities that react as if fed from elsewhere. */
export function mapDoubts(facts: MapFacts): MapDoubt[] {
  return [...contradictions(facts), ...endedFeeds(facts), ...behaviour(facts)];
}

const isValid = ({ valid_from_ns, valid_to_ns }: EdgeFact, at: bigint): boolean =>
  valid_from_ns <= at && valid_to_ns > at;

function contradictions({ graph, edges, at_ns }: MapFacts): MapDoubt[] {
  const valid = edges.filter((edge) => isValid(edge, at_ns));
  const doubts: MapDoubt[] = [];
  for (const [to, into] of Map.groupBy(valid, ({ to_id }) => to_id)) {
    const node = graph.node(to);
    if (!node) continue;
    const feeds = sourcesOf(into, 'feeds', graph);
    if (oneInlet.has(node.kind) && feeds.length > 1)
      doubts.push(
        about(
          graph,
          to,
          'two_feeders',
          `${node.id} has one inlet, but several supplies in the topology: ${names(feeds)}`,
        ),
      );
    for (const [kind, parents] of Map.groupBy(sourcesOf(into, 'contains', graph), ({ kind }) => kind))
      if (parents.length > 1)
        doubts.push(
          about(graph, to, 'two_places', `${node.id} is in several entities of kind ${kind}: ${names(parents)}`),
        );
  }
  return doubts;
}

const sourcesOf = (into: readonly EdgeFact[], kind: EdgeFact['kind'], graph: EntityGraph) =>
  [...new Set(into.filter((edge) => edge.kind === kind).map(({ from_id }) => from_id))].flatMap(
    (key) => graph.node(key) ?? [],
  );

const MOST_NAMES = 4;

function names(nodes: readonly { readonly id: string }[]): string {
  const ids = nodes.map(({ id }) => id);
  if (ids.length > MOST_NAMES)
    return `${ids.slice(0, MOST_NAMES - 1).join(', ')} and ${ids.length - MOST_NAMES + 1} more`;
  return ids.length < 2 ? ids.join() : `${ids.slice(0, -1).join(', ')} and ${ids.at(-1)}`;
}

function endedFeeds({ graph, edges, at_ns }: MapFacts): MapDoubt[] {
  const feeds = edges.filter(({ kind }) => kind === 'feeds');
  return [...Map.groupBy(feeds, ({ to_id }) => to_id)].flatMap(([to, into]) => {
    const node = graph.node(to);
    const past = into.filter(({ valid_to_ns }) => valid_to_ns <= at_ns);
    if (!node || past.length === 0 || into.some((edge) => isValid(edge, at_ns))) return [];
    const old = sourcesOf(past, 'feeds', graph);
    const text = `all supplies of ${node.id} (${names(old)}) end before the incident in the topology, with no later ones`;
    return [about(graph, to, 'feed_ended', text)];
  });
}

function about(graph: EntityGraph, key: number, doubt: MapDoubt['doubt'], text: string): MapDoubt {
  return { doubt, entity: keyOf(graph, key), text, refs: [`entity:${keyOf(graph, key)}`], supply: null };
}

function keyOf(graph: EntityGraph, key: number): string {
  const node = graph.node(key);
  return node ? `${node.kind}:${node.id}` : '';
}

/** Reactions to an event on a supply, of its dependents and of others. */
function behaviour(facts: MapFacts): MapDoubt[] {
  const { graph, mechanisms, events } = facts;
  const links = new CausalLinks(events, graph, { mechanisms, doubts: noDoubts });
  const found = new Map<string, MapDoubt>();
  for (const cause of links.events) {
    const supply = graph.node(cause.entity);
    if (!supply || !supplyKinds.has(supply.kind)) continue;
    const reactions = links.effectsOf(cause).filter(({ mechanism }) => mechanism.relation === 'below');
    for (const [, together] of Map.groupBy(reactions, ({ effect }) => effect.type)) {
      if (new Set(together.map(({ effect }) => effect.entity)).size < causality.leastTogether) continue;
      const touched = new Set(reactions.flatMap(({ effect }) => graph.machinesOf(effect.entity)));
      for (const doubt of [...strangers(cause, together, links, facts), ...silent(cause, together, touched, facts)])
        found.set(`${doubt.doubt} ${doubt.entity}`, doubt);
    }
  }
  return [...found.values()];
}

/** Entities of another supply that reacted at the same time, without events on their own supplies. */
function strangers(cause: EventFact, together: readonly Link[], links: CausalLinks, facts: MapFacts): MapDoubt[] {
  const { graph } = facts;
  const [first] = together;
  if (!first) return [];
  const inside = graph.below(cause.entity);
  const times = together.map(({ effect }) => effect.time_ns);
  const [earliest, latest] = [least(times), most(times)];
  const kinds = new Set(together.map(({ effect }) => graph.node(effect.entity)?.kind));
  const type = first.effect.type;
  return links.events.flatMap((event): MapDoubt[] => {
    const { entity, time_ns } = event;
    const slack = event.clock_uncertainty_ns + first.effect.clock_uncertainty_ns;
    const isAlike = event.type === type && kinds.has(graph.node(entity)?.kind);
    if (!isAlike || inside.has(entity) || time_ns < earliest - slack || time_ns > latest + slack) return [];
    if (links.causesOf(event).length > 0) return [];
    const supply = keyOf(graph, cause.entity);
    const own = [...graph.above(entity)].flatMap((key) => graph.node(key) ?? []);
    const fedBy = own.filter(({ kind }) => kind === graph.node(cause.entity)?.kind);
    const map =
      fedBy.length > 0 ? `the topology connects it to ${names(fedBy)}` : 'the topology has no such supply of it';
    const text = `${graph.node(entity)?.id} reacted together with ${together.length} on ${graph.node(cause.entity)?.id} (${readableType(type)}), but ${map}, without events there`;
    return [
      {
        doubt: 'behaves_elsewhere',
        entity: keyOf(graph, entity),
        text,
        refs: [eventRef(event), eventRef(cause), ...together.map(({ effect }) => eventRef(effect))],
        supply,
      },
    ];
  });
}

/**
 * The few machines of a supply that show no reaction while nearly all others do. A machine has its supplies as a whole: a
 * single silent card, or a card with other events (`touched`), is no evidence against the topology.
 */
function silent(
  cause: EventFact,
  together: readonly Link[],
  touched: ReadonlySet<number>,
  { graph, isWatchedBy }: MapFacts,
): MapDoubt[] {
  const kinds = new Set(together.map(({ effect }) => graph.node(effect.entity)?.kind));
  const sources = new Set(together.map(({ effect }) => effect.source_id));
  const isWatched = (key: number) => [...sources].some((source) => isWatchedBy(key, source));
  const alike = [...graph.below(cause.entity)].filter((key) => kinds.has(graph.node(key)?.kind) && isWatched(key));
  const machines = new Set(alike.flatMap((key) => graph.machinesOf(key)));
  const reacted = new Set(together.flatMap(({ effect }) => graph.machinesOf(effect.entity)));
  const [first] = together;
  if (!first || reacted.size < causality.fewMachines || reacted.size < causality.reactedShare * machines.size)
    return [];
  const others = `${reacted.size} of ${machines.size} on ${graph.node(cause.entity)?.id} show ${readableType(first.effect.type)}`;
  return [...machines]
    .filter((key) => !touched.has(key))
    .map((key) => ({
      doubt: 'did_not_react',
      entity: keyOf(graph, key),
      text: `${graph.node(key)?.id} did not react, although ${others}: it may have another supply`,
      refs: [eventRef(cause), `entity:${keyOf(graph, key)}`],
      supply: null,
    }));
}

const readableType = (type: string): string => type.replaceAll('_', ' ');
const least = (times: readonly bigint[]): bigint => times.reduce((a, b) => (a < b ? a : b));
const most = (times: readonly bigint[]): bigint => times.reduce((a, b) => (a > b ? a : b));
