import type { EventFact } from '../../store/facts/reader.ts';
import { causality } from '../causality/parameters.ts';
import type { EntityGraph } from './entity-graph.ts';
import { namedPart } from './named-part.ts';

/**
 * Whether an event is the failure of the only supply of its machine, as far as the topology knows: then the machine stops, where
 * others go on with their second supply. Unknown supplies are no answer: false.
 */
export function isOfSoleSupply({ type, entity }: EventFact, graph: EntityGraph): boolean {
  if (type !== 'psu_failure' || entity < 0) return false;
  const machines = graph.machinesOf(entity);
  return (
    machines.length > 0 &&
    machines.every((machine) => {
      const psus = [...graph.partsOf(machine)].filter((part) => graph.node(part)?.kind === 'psu');
      const feeds = graph.powerSuppliesOf(machine);
      return Math.max(psus.length, feeds.length) === 1 && (feeds.length === 1 || psus.includes(entity));
    })
  );
}

/** Failures of supplies, by the part that is or names the supply. */
export const failedSupplies = (
  events: readonly EventFact[],
  graph: EntityGraph,
): ReadonlyMap<number, readonly EventFact[]> => Map.groupBy(events, (event) => namedPart(event, graph));

/**
 * Whether all known supplies of the machine of an event, two at least, failed at about the same time as it: then the machine stops.
 *
 * @param failures as {@link failedSupplies} has them
 */
export function leavesNoSupply(
  event: EventFact,
  failures: ReadonlyMap<number, readonly EventFact[]>,
  graph: EntityGraph,
): boolean {
  if (event.type !== 'psu_failure' || event.entity < 0) return false;
  const isNow = (one: EventFact): boolean =>
    Math.abs(Number(one.time_ns - event.time_ns)) / 1e9 <= causality.togetherMostSeconds;
  return graph.machinesOf(event.entity).some((machine) => {
    const psus = [...graph.partsOf(machine)].filter((part) => graph.node(part)?.kind === 'psu');
    return psus.length > 1 && psus.every((psu) => failures.get(psu)?.some(isNow) === true);
  });
}
