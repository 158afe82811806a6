import type { EventFact } from '../../../store/facts/reader.ts';
import type { Movement } from '../../causality/movements.ts';
import { defineKind, eventRef, type Line, line } from '../../evidence/kind.ts';
import { type Changes, changesText } from '../../evidence/numbers.ts';
import type { Candidate } from '../candidates.ts';
import type { IncidentContext, RankingInput } from '../incident-context.ts';
import type { EventEvidence } from './event-evidence.ts';

const crowds = defineKind<Changes & { readonly workload: string; readonly service: string }>({
  id: 'crowds',
  sign: 1,
  judgement: 3,
  text: ({ workload, service, ...changes }) =>
    `${workload} began to run on a machine of ${service}, and ${changesText(changes)}`,
});

/** Machines of the service that have more work since a workload of somebody else began on them. */
export function crowdedBy(event: EventFact, { graph, movements, window }: RankingInput): Movement[] {
  if (event.type !== 'pod_started' || event.entity < 0) return [];
  if (graph.servicesOn(event.entity).has(window.service)) return [];
  return graph.machinesOf(event.entity).flatMap((machine) => {
    const movement = movements.get(machine);
    return movement?.busier ? [movement] : [];
  });
}

function crowdingLines({ event }: Candidate, { input }: IncidentContext): Line[] {
  const busier = crowdedBy(event, input);
  if (busier.length === 0) return [];
  const changes = busier.map(({ change }) => change);
  const parameters = { workload: event.device_id, service: input.service, changes };
  return [line(crowds, 1, parameters, [eventRef(event), ...busier.flatMap(({ refs }) => refs)])];
}

/** A noisy neighbour. */
export const crowdingEvidence: EventEvidence = { kinds: [crowds], find: crowdingLines };
