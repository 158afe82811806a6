import type { EventFact } from '../../store/facts/reader.ts';
import { leaves } from '../evidence/effects.ts';
import { namesOf, readableType } from '../evidence/evidence-text.ts';
import { eventRef, type Line, lineOnDemand } from '../evidence/kind.ts';
import type { Harmful, IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';

/**
 * Harmful events on the infrastructure of the service that a suspect does not explain: two faults at once are less likely than
 * one. The most harmful per machine counts.
 *
 * @param known the suspect and its effects
 */
export function leftOpenLines(known: ReadonlySet<EventFact>, context: IncidentContext): Line[] {
  const { graph, service } = context.input;
  const { byMachine, beside, total } = context.once(harmByMachine);
  const own = new Set<number>();
  for (const { entity } of known) for (const machine of graph.machinesOf(entity)) own.add(machine);
  const touched = new Set<number>();
  for (const one of own) for (const machine of beside.get(one) ?? []) touched.add(machine);
  const worst = (machine: number) =>
    byMachine.get(machine)?.find(({ event }) => !graph.machinesOf(event.entity).some((one) => own.has(one)));
  // All machines but those that the suspect explains at least in part.
  let [left, harm] = [byMachine.size, total];
  for (const machine of touched) {
    const rest = worst(machine);
    if (!rest) left--;
    harm += (rest?.harm ?? 0) - byMachine.get(machine)![0]!.harm;
  }
  if (left === 0) return [];
  const details = () => {
    const found = [...byMachine.keys()].flatMap((machine) => worst(machine) ?? []).sort((a, b) => b.harm - a.harm);
    const troubles = namesOf(found.map(({ event }) => `${readableType(event.type)} on ${event.device_id}`));
    return { parameters: { troubles, service }, refs: found.map(({ event }) => eventRef(event)) };
  };
  return [lineOnDemand(leaves, Math.log1p(harm), details)];
}

interface HarmByMachine {
  /** Harmful events of each machine, the most harmful first. */
  readonly byMachine: ReadonlyMap<number, readonly Harmful[]>;
  /** Machines that have their events together with a machine. */
  readonly beside: ReadonlyMap<number, ReadonlySet<number>>;
  /** Sum of the most harmful ones. */
  readonly total: number;
}

function harmByMachine(context: IncidentContext): HarmByMachine {
  const { graph } = context.input;
  const machineOf = ({ event }: Harmful): number => graph.machinesOf(event.entity)[0] ?? event.entity;
  const groups = [...Map.groupBy(context.harmful(), machineOf)];
  const byMachine = new Map(groups.map(([machine, list]) => [machine, list.toSorted((a, b) => b.harm - a.harm)]));
  const beside = new Map<number, Set<number>>();
  for (const [machine, list] of groups)
    for (const { event } of list)
      for (const one of graph.machinesOf(event.entity)) beside.set(one, (beside.get(one) ?? new Set()).add(machine));
  const total = [...byMachine.values()].reduce((sum, list) => sum + list[0]!.harm, 0);
  return { byMachine, beside, total };
}

/** An event with what it explains and what explains it. */
export function familyOf(event: EventFact, context: IncidentContext): ReadonlySet<EventFact> {
  const family = new Set<EventFact>([event, ...context.explainedBy(event).keys()]);
  let frontier = [event];
  for (let step = 0; step < ranking.mostCauseSteps && frontier.length > 0; step++)
    frontier = frontier
      .flatMap((effect) => context.links.causesOf(effect).map(({ cause }) => cause))
      .filter((cause) => !family.has(cause) && family.add(cause));
  return family;
}
