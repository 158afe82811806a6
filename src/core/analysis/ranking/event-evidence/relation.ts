import type { EntityKind } from '../../../../model/entity.ts';
import { listed, type Names, namesOf } from '../../evidence/evidence-text.ts';
import { defineKind, entityRef, type Line, line } from '../../evidence/kind.ts';
import { unmapped } from '../../evidence/place.ts';
import type { EntityGraph } from '../../topology/entity-graph.ts';
import type { Candidate } from '../candidates.ts';
import type { IncidentContext } from '../incident-context.ts';
import { ranking } from '../parameters.ts';
import { isElsewhere, machinesOfReplicas } from '../part-machines.ts';
import type { EventEvidence } from './event-evidence.ts';

const sibling = defineKind<{ readonly device: string }>({
  id: 'sibling',
  sign: -1,
  judgement: -0.6,
  text: ({ device }) => `${device} is mapped to another service on the same machine`,
});

const caller = defineKind<{ readonly service: string }>({
  id: 'caller',
  sign: -1,
  judgement: -0.3,
  text: ({ service }) => `reaches ${service} only through a service that it calls`,
});

const calleeFine = defineKind<{ readonly callees: Names }>({
  id: 'callee_fine',
  sign: -1,
  judgement: -2,
  least: 0.5,
  text: ({ callees }) => `would act through ${listed(callees)}, with no degradation there`,
});

const together = defineKind<{ readonly device: string; readonly service: string }>({
  id: 'by_company',
  sign: -1,
  judgement: -1,
  text: ({ device, service }) =>
    `only if ${service}, of which no place is known, depends on ${device} like the services that degraded at the same time`,
});

const otherReplica = defineKind<{ readonly device: string; readonly service: string }>({
  id: 'other_replica',
  sign: -1,
  judgement: -3,
  isJudged: true,
  text: ({ device, service }) => `${device} carries only replicas of ${service} that did as before`,
});

const machineKinds: ReadonlySet<EntityKind | undefined> = new Set<EntityKind>(['server', 'node', 'instance']);
const isOnMachine = (entity: number, graph: EntityGraph): boolean =>
  machineKinds.has(graph.node(graph.machineOf(entity))?.kind);

const ownMachines = ({ input }: IncidentContext) => machinesOfReplicas(input);

function relationLines({ event, relation }: Candidate, context: IncidentContext): Line[] {
  const { input: situation } = context;
  const { graph, service, window, measuredServices, impacts, mechanisms } = situation;
  const device = entityRef(graph, event.entity);
  switch (relation) {
    case 'unmapped': {
      const isKnown = graph.hasLinks(event.entity);
      // What feeds or connects machines may miss a link; a machine on which a service with known places does not run misses none.
      const mayMiss = isKnown && !(graph.isPlaced(window.service) && isOnMachine(event.entity, graph));
      const value = (mayMiss ? ranking.brokenPathShare : 1) * (1 - context.siteShare(event.entity));
      return [line(unmapped, value, { device: event.device_id, service, isKnown }, device)];
    }
    case 'together':
      return [line(together, 1, { device: event.device_id, service }, device)];
    case 'sibling':
      return [line(sibling, 1, { device: event.device_id }, device)];
    case 'caller': {
      const refs = [...device, ...entityRef(graph, window.service)];
      const between = [...graph.servicesNear(event.entity)].filter((one) => graph.calleesOf(window.service).has(one));
      const through = line(caller, 1, { service }, refs);
      if (
        mechanisms.harmOf(event.type)?.intercepts === true ||
        between.length === 0 ||
        between.some((one) => !measuredServices.includes(one) || impacts.some((other) => other.service === one))
      )
        return [through];
      const callees = namesOf(between.map((one) => graph.node(one)?.id ?? '?'));
      const fine = between.flatMap((one) => entityRef(graph, one));
      const share = Math.max(...between.map((one) => graph.shareOfService(event.entity, one)));
      return [through, line(calleeFine, share, { callees }, fine)];
    }
    case 'mapped': {
      const isOther = isElsewhere(event.entity, situation, context.once(ownMachines));
      return isOther ? [line(otherReplica, 1, { device: event.device_id, service }, device)] : [];
    }
  }
}

/** Position of the device relative to the service. */
export const relationEvidence: EventEvidence = {
  kinds: [sibling, caller, calleeFine, together, otherReplica],
  find: relationLines,
};
