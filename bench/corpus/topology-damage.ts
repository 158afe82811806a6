import type { Chance } from './chance.ts';
import type { RecordedEdge } from './recording.ts';
import type { Outcome, Scenario } from './scenario.ts';
import { machineRef, ref } from './site.ts';

/**
 * A topology as sites have it: some links were never entered, some services have moved since. What alone ties the root to
 * its victims stays, for a cause that nothing ties to its effect is beyond finding.
 */
export function damagedTopology(scenario: Scenario, { root }: Outcome, chance: Chance): RecordedEdge[] {
  const { world } = scenario;
  const hit = new Set(scenario.machineEffects.flatMap(({ machine }) => [machine.id, machine.node]));
  const vital = ({ from, kind, to }: RecordedEdge): boolean =>
    kind === 'calls' ||
    kind === 'runs_on' ||
    from.id === root?.id ||
    to.id === root?.id ||
    (kind === 'contains' && hit.has(from.id));
  const gone = new Set(
    chance.some(
      world.edges.filter((edge) => !vital(edge)),
      chance.whole(2, 6),
    ),
  );
  const edges = world.edges.filter((edge) => !gone.has(edge));
  // A root that several machines hang on may have lost one of them.
  const fed = edges.filter(({ from, kind }) => from.id === root?.id && kind === 'feeds');
  if (fed.length > 3) edges.splice(edges.indexOf(chance.pick(fed)), 1);
  for (const service of chance.some(world.services, 2)) {
    const elsewhere = world.machines.filter((machine) => !service.machines.includes(machine));
    if (elsewhere.length === 0) continue;
    const moved = {
      from: ref('service', service.name),
      kind: 'runs_on' as const,
      to: machineRef(chance.pick(elsewhere)),
    };
    // Ended in time, or left standing as if it still ran there.
    edges.push(
      chance.chance(0.6) ? { ...moved, valid_from_s: -900_000, valid_to_s: -chance.between(600, 90_000) } : moved,
    );
  }
  return edges;
}
