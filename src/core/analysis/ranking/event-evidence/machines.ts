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
export function movementLines(entity: number, { input: situation }: IncidentContext, shouldMove = true): Line[] {
  const { graph, movements, window } = situation;
  if (entity < 0 || movements.size === 0) return [];
  const below = graph.machinesBelow(entity);
  const machines = new Set(
    [window.service, ...graph.calleesOf(window.service)].flatMap((one) => graph.machinesOfService(one)),
  );
  const known = [...machines].flatMap((machine) => movements.get(machine) ?? []);
  const changed = known.filter((one) => one.moved);
  const mine = known.filter(({ machine }) => below.has(machine));
  const hit = mine.filter((one) => one.moved);
  const changesOf = (list: readonly Movement[]) => ({
    changes: list.slice(0, MOST_CHANGES).map(({ change }) => change),
  });
  const refs = (list: readonly Movement[]) => list.flatMap((one) => one.refs);
  const still = mine.filter((one) => one.still);
  // The end of a pod does not predict other metrics of its machine.
  const stayed =
    shouldMove && mine.length > 0 && !graph.isSoftware(entity)
      ? [line(unmoved, still.length / mine.length, { still: still.length, of: mine.length }, refs(still))]
      : [];
  if (hit.length > 0) return [line(moved, hit.length / changed.length, changesOf(hit), refs(hit)), ...stayed];
  if (changed.length === 0) return stayed;
  return [line(elsewhereMoved, 1, changesOf(changed), refs(changed)), ...stayed];
}

export const machineEvidence: EventEvidence = {
  find: ({ event }, context) => movementLines(event.entity, context, !isOrchestrators(event.type)),
};
