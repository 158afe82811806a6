import type { Layer } from '../../../../model/entity.ts';
import { listed, type Names, namesOf } from '../../evidence/evidence-text.ts';
import { defineKind, entityRef, type Line, line } from '../../evidence/kind.ts';
import type { ImpactWindow } from '../../impact/impact.ts';
import type { Candidate } from '../candidates.ts';
import type { IncidentContext } from '../incident-context.ts';
import { ranking } from '../parameters.ts';
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

/** A supply or a switch may spare some of the machines behind it; what runs on one machine shares its fate. */
const sparedValue = (services: number, layer: Layer | undefined): number =>
  layer === 'server' || layer === 'gpu' ? Math.min(ranking.mostSpared, services) : Math.log1p(services);

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
  // A service with more other machines than the affected one may remain healthy without this device.
  const share = (service: number): number => graph.shareOfService(event.entity, service);
  const own = share(window.service) || 1;
  const unharmed = healthy.reduce((sum, service) => sum + Math.min(1, share(service) / own), 0);
  const refs = (keys: readonly number[]) => keys.flatMap((key) => entityRef(graph, key));
  const parametersOf = (keys: readonly number[]) => ({
    of: carried.length,
    count: keys.length,
    services: namesOf(keys.map((key) => graph.node(key)?.id ?? '?')),
  });
  return [
    line(servicesBroke, Math.log1p(broke.length), parametersOf(broke), refs(broke)),
    line(servicesHealthy, sparedValue(unharmed, graph.node(event.entity)?.layer), parametersOf(healthy), refs(healthy)),
  ];
}

/** Other services on the same device. */
export const neighbourEvidence: EventEvidence = { kinds: [servicesBroke, servicesHealthy], find: contrastLines };
