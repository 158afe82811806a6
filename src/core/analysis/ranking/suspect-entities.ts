import type { EntityKind } from '../../../model/entity.ts';
import type { Candidate } from './candidates.ts';
import { suspectEvent } from './event-suspects.ts';
import { logOdds, type Suspect } from './hypothesis-line.ts';
import type { IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';
import type { Weights } from './weights.ts';

/** The candidates of one entity. */
type Own = readonly Candidate[];

interface Weighed {
  readonly own: Own;
  readonly suspect: Suspect;
  /** Log-odds. */
  readonly odds: number;
  /** Of another entity like it, whose evidence this one has for now. */
  readonly isSupposed: boolean;
}

/** Machines and their parts come in thousands; what supplies them does not. */
const many: ReadonlySet<EntityKind> = new Set<EntityKind>(['server', 'node', 'gpu', 'nic']);

/**
 * One suspect per entity: its most incriminating event represents it. Of thousands of entities, those that are alike
 * ({@link likenessOf}) are weighed by their first and last one; each of them that may be listed is weighed itself.
 */
export function suspectEntities(
  candidates: readonly Candidate[],
  context: IncidentContext,
  weights: Weights,
): Suspect[] {
  const weighed = weigher(context, weights);
  const entities = [
    ...Map.groupBy(candidates, ({ event }) => (event.entity < 0 ? event.device_id : event.entity)).values(),
  ];
  if (entities.length < ranking.manySuspects) return entities.map((own) => weighed(own).suspect);
  let groups = [...Map.groupBy(entities, (own) => likenessOf(own, context)).values()].map((group) =>
    represented(group, weighed),
  );
  for (;;) {
    const wanted = mayBeListed(groups.flat());
    if (!groups.some((group) => group.some((one) => wanted.has(one)))) break;
    groups = groups.map((group) =>
      group.some((one) => wanted.has(one)) ? group.map(({ own }) => weighed(own)) : group,
    );
  }
  const found = new Map(groups.flat().map(({ own, suspect }) => [own, suspect]));
  return entities.map((own) => found.get(own)!);
}

type Weigh = (own: Own) => Weighed;

const weigher =
  (context: IncidentContext, weights: Weights): Weigh =>
  (own) => {
    const all = own.map((candidate): Weighed => {
      const suspect = suspectEvent(candidate, context);
      return { own, suspect, odds: logOdds(suspect, weights), isSupposed: false };
    });
    return all.reduce((best, one) => (one.odds > best.odds ? one : best));
  };

/** What evidence can distinguish entities by, besides the time: what happened on them and how often, what feeds them and what they carry. */
function likenessOf(own: Own, { input: { graph, background }, links }: IncidentContext): string {
  const entity = own[0]!.event.entity;
  const kind = graph.node(entity)?.kind;
  if (kind === undefined || !many.has(kind)) return `alone ${own[0]!.event.event_id}`;
  const events = own.map(({ event, relation }) =>
    [
      ...[event.type, event.severity, relation, event.clock_uncertainty_ns],
      ...[links.causesOf(event).length, links.effectsOf(event).length],
      background.occurrences(entity, event.type),
    ].join(' '),
  );
  const machines = new Set(graph.machinesOf(entity));
  const above = [...graph.above(entity)].filter((key) => key !== entity && !machines.has(key));
  const services = [...graph.servicesOn(entity)];
  return [kind, ...events, above.sort().join(' '), services.sort().join(' ')].join('; ');
}

/** Where the first and the last of a group differ, each of them is weighed. */
function represented(group: readonly Own[], weighed: Weigh): Weighed[] {
  if (group.length < ranking.leastAlike) return group.map(weighed);
  const inOrder = group.toSorted(([a], [b]) => Number(a!.event.time_ns - b!.event.time_ns));
  const ends = [inOrder[0]!, inOrder.at(-1)!].map(weighed) as [Weighed, Weighed];
  if (Math.abs(ends[0].odds - ends[1].odds) > ranking.alikeLogOdds) return group.map(weighed);
  const lower = ends[0].odds < ends[1].odds ? ends[0] : ends[1];
  return [...ends, ...inOrder.slice(1, -1).map((own) => supposed(own, lower))];
}

function supposed(own: Own, { suspect, odds }: Weighed): Weighed {
  const { event } = own.find((one) => one.event.type === suspect.type)!;
  const subject = { kind: suspect.subject!.kind, id: event.device_id };
  return { own, suspect: { ...suspect, event, subject }, odds, isSupposed: true };
}

/** Those without evidence of their own that are among the first, or nearly as probable as what is listed. */
function mayBeListed(all: readonly Weighed[]): ReadonlySet<Weighed> {
  const highest = all.reduce((most, { odds }) => Math.max(most, odds), Number.NEGATIVE_INFINITY);
  const total = all.reduce((sum, { odds }) => sum + Math.exp(odds - highest), 0);
  const least = highest + Math.log((ranking.leastListedProbability / 2) * total);
  const first = all.toSorted((a, b) => b.odds - a.odds || Number(a.isSupposed) - Number(b.isSupposed));
  return new Set(first.filter((one, i) => one.isSupposed && (i < ranking.listed || one.odds >= least)));
}
