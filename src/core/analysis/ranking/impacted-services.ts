import type { Layer } from '../../../model/entity.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { began } from './event-evidence/company.ts';

/** What is needed to know which services an impact is about. */
export interface ImpactPlace {
  readonly window: ImpactWindow;
  /** All impacts of the case. */
  readonly impacts: readonly ImpactWindow[];
  readonly graph: EntityGraph;
}

/**
 * The service of an impact and those that it calls which degraded with it: a cause may lie under any of them. A gateway
 * without a place in the topology still leads to the devices of what it calls.
 */
export function impactedServices({ window, impacts, graph }: ImpactPlace): readonly number[] {
  const callees = graph.calleesOf(window.service);
  const degraded = impacts.filter((one) => callees.has(one.service) && began(one, window));
  return [...new Set([window.service, ...degraded.map(({ service }) => service)])];
}

/** Whether the topology links any of {@link impactedServices} to what carries it. */
export const isPlaced = (place: ImpactPlace): boolean =>
  impactedServices(place).some((service) => place.graph.isPlaced(service));

/** Layers of the infrastructure of {@link impactedServices}, by the topology. */
export const layersUnder = (place: ImpactPlace): ReadonlySet<Layer> =>
  new Set(impactedServices(place).flatMap((service) => [...place.graph.layersUnder(service)]));
