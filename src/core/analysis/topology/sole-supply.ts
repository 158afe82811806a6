import type { EventFact } from '../../store/facts/reader.ts';
import type { EntityGraph } from './entity-graph.ts';

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
