import type { Candidate } from './candidates.ts';
import { suspectEvent } from './event-suspects.ts';
import { likeliest, type Suspect } from './hypothesis-line.ts';
import type { IncidentContext } from './incident-context.ts';
import { placeLikeness, weighAlike } from './weigh-alike.ts';
import type { Weights } from './weights.ts';

/** The candidates of one entity. */
type Own = readonly Candidate[];

/** One suspect per entity: its most incriminating event represents it. */
export function suspectEntities(
  candidates: readonly Candidate[],
  context: IncidentContext,
  weights: Weights,
): Suspect[] {
  const entities = Map.groupBy(candidates, ({ event }) => (event.entity < 0 ? event.device_id : event.entity));
  const how = {
    likenessOf: (own: Own) => likenessOf(own, context),
    timeOf: (own: Own) => own[0]!.event.time_ns,
    weigh: (own: Own) => {
      const suspects = own.map((candidate) => suspectEvent(candidate, context));
      return likeliest(suspects, weights)!;
    },
    supposed: (own: Own, like: Suspect): Suspect => {
      const { event } = own.find((one) => one.event.type === like.type)!;
      return { ...like, event, subject: { kind: like.subject!.kind, id: event.device_id } };
    },
  };
  return weighAlike([...entities.values()], how, { weights });
}

/** What evidence can distinguish entities by, besides the time: what happened on them and how often, what feeds them and what they carry. */
function likenessOf(own: Own, { input: { graph, background }, links }: IncidentContext): string {
  const { entity, event_id } = own[0]!.event;
  const kind = graph.node(entity)?.kind;
  if (kind === undefined) return `alone ${event_id}`;
  const events = own.map(({ event, relation }) =>
    [
      ...[event.type, event.severity, relation, event.clock_uncertainty_ns],
      ...[links.causesOf(event).length, links.effectsOf(event).length],
      background.occurrences(entity, event.type),
    ].join(' '),
  );
  return [kind, ...events, placeLikeness(entity, graph)].join('; ');
}
