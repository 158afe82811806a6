import type { Layer } from '../../../model/entity.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import type { EntityGraph, Relation } from '../topology/entity-graph.ts';
import { began } from './began.ts';
import { ranking } from './parameters.ts';

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

/** Layers whose absence leaves a physical cause open. */
export const physical: readonly Layer[] = ['power', 'cooling', 'server', 'gpu', 'network', 'orchestrator'];

/** Layers under the services of an impact without recordings, except layers that a cloud provider does not expose. */
export function missingUnder(place: ImpactPlace, recorded: ReadonlySet<Layer>): Layer[] {
  const known = layersUnder(place);
  return physical.filter((layer) => known.has(layer) && !recorded.has(layer));
}

/**
 * Relation of an entity to the service of an impact. `together`: nothing is recorded of what that service calls, and the entity
 * carries a service that degraded at the same time.
 */
export type ImpactRelation = Relation | 'together';

/** Finds the relation of entities to the service of an impact. */
export function relationFinder(place: ImpactPlace): (entity: number) => ImpactRelation {
  const { window, impacts, graph } = place;
  const shareBehind = siteShareFinder(place);
  const company = hasUnknownCalls(place)
    ? [...new Set(impacts.filter((one) => began(one, window)).map((one) => one.service))]
    : [];
  return (entity) => {
    const relation = graph.relation(entity, window.service);
    if (relation !== 'other') return relation;
    const carries = company.some((service) => ['mapped', 'caller'].includes(graph.relation(entity, service)));
    if (carries) return 'together';
    return shareBehind(entity) >= ranking.leastSiteShare ? 'unmapped' : relation;
  };
}

/**
 * Finds the share of the machines of the site that are behind an entity, 0 to 1: how probable it is that a service is behind it
 * of which no place is known. 0 for other services. Machines that carry services count, and only those are behind it of which some service
 * is not known to be well.
 */
export function siteShareFinder({ window, impacts, graph, measuredServices }: ImpactPlace): (entity: number) => number {
  if (!isUnlinked({ window, graph })) return () => 0;
  const site = [...graph.machines(() => true)].filter((machine) => graph.servicesOn(machine).size > 0);
  const degraded = new Set(impacts.filter((one) => began(one, window)).map(({ service }) => service));
  const measured = new Set(measuredServices);
  const mayFail = (service: number): boolean => degraded.has(service) || !measured.has(service);
  const failing = new Set(site.filter((machine) => [...graph.servicesOn(machine)].some(mayFail)));
  const known = new Map<number, number>();
  return (entity) => {
    let share = known.get(entity);
    if (share === undefined) {
      // It may also run on a machine that is not known.
      share = [...graph.machinesBelow(entity)].filter((one) => failing.has(one)).length / (site.length + 1);
      known.set(entity, share);
    }
    return share;
  };
}

/** Nothing calls it and it calls nothing, while other services call each other: a balancer or client whose calls were not recorded. */
export function hasUnknownCalls({ window, graph }: Pick<ImpactPlace, 'window' | 'graph'>): boolean {
  if (graph.calleesOf(window.service).size > 0) return false;
  if (!graph.isPlaced(window.service)) return true;
  const called = [...graph.all()].flatMap(({ key }) => (graph.isSoftware(key) ? [graph.calleesOf(key)] : []));
  return called.some(({ size }) => size > 0) && !called.some((callees) => callees.has(window.service));
}

const isUnlinked = ({ window, graph }: Pick<ImpactPlace, 'window' | 'graph'>): boolean =>
  !graph.isPlaced(window.service) && graph.calleesOf(window.service).size === 0;

/** Whether services that degraded at the same time are all that may lead to devices. */
export const isPlacedByCompany = ({ window, impacts, graph }: Omit<ImpactPlace, 'measuredServices'>): boolean =>
  isUnlinked({ window, graph }) && impacts.some((one) => began(one, window) && graph.isPlaced(one.service));
