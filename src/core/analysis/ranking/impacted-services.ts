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
  /** Services with a known measurement during the window. */
  readonly measuredServices: readonly number[];
}

/**
 * The service of an impact and those that it calls which degraded with it or were not measured meanwhile: a cause may lie under
 * any of them. A gateway without a place in the topology still leads to the devices of what it calls.
 */
export function impactedServices({ window, impacts, graph, measuredServices }: ImpactPlace): readonly number[] {
  const degraded = new Set(impacts.filter((one) => began(one, window)).map(({ service }) => service));
  const measured = new Set(measuredServices);
  const callees = [...graph.calleesOf(window.service)].filter((one) => degraded.has(one) || !measured.has(one));
  return [window.service, ...callees];
}

/** Whether the topology links the service, or any that it calls, to what carries it. */
export const isPlaced = ({ window, graph }: ImpactPlace): boolean =>
  [window.service, ...graph.calleesOf(window.service)].some((service) => graph.isPlaced(service));

/** Layers of the infrastructure of {@link impactedServices}, by the topology. */
export const layersUnder = (place: ImpactPlace): ReadonlySet<Layer> =>
  new Set(impactedServices(place).flatMap((service) => [...place.graph.layersUnder(service)]));
