import { isOrchestrators } from '../../causality/event-traits.ts';
import type { Movement } from '../../causality/movements.ts';
import { type Line, line } from '../../evidence/kind.ts';
import { elsewhereMoved, moved, unmoved } from '../../evidence/numbers.ts';
import type { IncidentContext } from '../incident-context.ts';
import type { EventEvidence } from './event-evidence.ts';

/** Most metric changes in one line of evidence. */
const MOST_CHANGES = 2;

/**
 * Evidence from metrics of machines: the machines that changed should be among those that the suspect can reach. Whether it
 * must change them is another matter: a node under pressure draws the same power.
 */
export function movementLines(entity: number, context: IncidentContext, shouldMove = true): Line[] {
  const { graph, movements } = context.input;
  if (entity < 0 || movements.size === 0) return [];
  const { known, changed, changedRefs } = context.once(serviceMovements);
  const below = [...graph.machinesBelow(entity)].flatMap((machine) => known.get(machine) ?? []);
  const mine = below.sort((a, b) => a.position - b.position).map(({ movement }) => movement);
  const hit = mine.filter((one) => one.moved);
  const still = mine.filter((one) => one.still);
  // The end of a pod does not predict other metrics of its machine.
  const stayed =
    shouldMove && mine.length > 0 && !graph.isSoftware(entity)
      ? [line(unmoved, still.length / mine.length, { still: still.length, of: mine.length }, refsOf(still))]
      : [];
  if (hit.length > 0) return [line(moved, hit.length / changed.length, changesOf(hit), refsOf(hit)), ...stayed];
  if (changed.length === 0) return stayed;
  return [line(elsewhereMoved, 1, changesOf(changed), changedRefs), ...stayed];
}

const refsOf = (list: readonly Movement[]) => list.flatMap((one) => one.refs);
const changesOf = (list: readonly Movement[]) => ({
  changes: list.slice(0, MOST_CHANGES).map(({ change }) => change),
});

/** Of the machines of the service and of what it calls. */
function serviceMovements({ input: { graph, movements, window } }: IncidentContext) {
  const services = [window.service, ...graph.calleesOf(window.service)];
  const machines = new Set(services.flatMap((one) => graph.machinesOfService(one)));
  const found = [...machines].flatMap((machine) => movements.get(machine) ?? []);
  const known = new Map(found.map((movement, position) => [movement.machine, { movement, position }]));
  const changed = found.filter((one) => one.moved);
  return { known, changed, changedRefs: refsOf(changed) };
}

export const machineEvidence: EventEvidence = {
  find: ({ event: { entity, type } }, context) => {
    const mayStay = isOrchestrators(type) || context.input.mechanisms.harmOf(type)?.waits === true;
    return movementLines(entity, context, !mayStay);
  },
};
