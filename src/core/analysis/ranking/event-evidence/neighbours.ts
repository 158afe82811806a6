import { listed, type Names, namesOf } from '../../evidence/evidence-text.ts';
import { defineKind, entityRef, type Line, line } from '../../evidence/kind.ts';
import type { ImpactWindow } from '../../impact/impact.ts';
import type { Candidate } from '../candidates.ts';
import type { IncidentContext } from '../incident-context.ts';
import type { EventEvidence } from './event-evidence.ts';

interface Neighbours {
  readonly of: number;
  readonly count: number;
  readonly services: Names;
}

const servicesBroke = defineKind<Neighbours>({
  id: 'services_broke',
  sign: 1,
  judgement: 0.5,
  text: ({ of, count, services }) =>
    `${count} of ${of} other services on the same device degraded at the same time: ${listed(services)}`,
});

const servicesHealthy = defineKind<Neighbours>({
  id: 'services_healthy',
  sign: -1,
  judgement: -1,
  least: 2,
  text: ({ of, count, services }) =>
    `${count} of ${of} other services on the same device remained healthy: ${listed(services)}`,
});

const overlaps = (a: ImpactWindow, b: ImpactWindow): boolean =>
  a.onset_earliest_ns <= b.end_ns && b.onset_earliest_ns <= a.end_ns;

function contrastLines({ event, relation }: Candidate, { input: situation }: IncidentContext): Line[] {
  const { graph, impacts, measuredServices, mechanisms, window } = situation;
  if (relation === 'unmapped') return [];
  const carried = [...graph.servicesOn(event.entity)].filter(
    (service) => service !== window.service && measuredServices.includes(service),
  );
  const broke = carried.filter((service) =>
    impacts.some((other) => other.service === service && overlaps(other, window)),
  );
  const harm = mechanisms.harmOf(event.type);
  const mayBeWell = harm?.some === true || harm?.intercepts === true;
  const healthy = mayBeWell ? [] : carried.filter((service) => !broke.includes(service));
  // A service with other machines may remain healthy without this one.
  const unharmed = healthy.reduce((sum, service) => sum + graph.shareOfService(event.entity, service), 0);
  const refs = (keys: readonly number[]) => keys.flatMap((key) => entityRef(graph, key));
  const parametersOf = (keys: readonly number[]) => ({
    of: carried.length,
    count: keys.length,
    services: namesOf(keys.map((key) => graph.node(key)?.id ?? '?')),
  });
  return [
    line(servicesBroke, Math.log1p(broke.length), parametersOf(broke), refs(broke)),
    line(servicesHealthy, Math.log1p(unharmed), parametersOf(healthy), refs(healthy)),
  ];
}

/** Other services on the same device. */
export const neighbourEvidence: EventEvidence = { kinds: [servicesBroke, servicesHealthy], find: contrastLines };
