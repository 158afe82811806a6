import { defineKind, eventRef, type Line, line } from '../../evidence/kind.ts';
import { type Changes, changesText } from '../../evidence/numbers.ts';
import type { Candidate } from '../candidates.ts';
import type { IncidentContext } from '../incident-context.ts';
import type { EventEvidence } from './event-evidence.ts';

const crowds = defineKind<Changes & { readonly workload: string; readonly service: string }>({
  id: 'crowds',
  sign: 1,
  judgement: 3,
  text: ({ workload, service, ...changes }) =>
    `${workload} began to run on a machine of ${service}, and ${changesText(changes)}`,
});

/** A workload of somebody else that begins on a machine of the service, which has more work from then on. */
function crowdingLines({ event }: Candidate, { input }: IncidentContext): Line[] {
  const { graph, movements, service, window } = input;
  if (event.type !== 'pod_started' || event.entity < 0) return [];
  if (graph.servicesOn(event.entity).has(window.service)) return [];
  const busier = graph.machinesOf(event.entity).flatMap((machine) => {
    const movement = movements.get(machine);
    return movement?.busier ? [movement] : [];
  });
  if (busier.length === 0) return [];
  const parameters = { workload: event.device_id, service, changes: busier.map(({ change }) => change) };
  return [line(crowds, 1, parameters, [eventRef(event), ...busier.flatMap(({ refs }) => refs)])];
}

/** A noisy neighbour. */
export const crowdingEvidence: EventEvidence = { kinds: [crowds], find: crowdingLines };
