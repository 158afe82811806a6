import type { EventFact } from '../../store/facts/reader.ts';
import { leaves } from '../evidence/effects.ts';
import { namesOf, readableType } from '../evidence/evidence-text.ts';
import { eventRef, type Line, line } from '../evidence/kind.ts';
import type { IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';

/**
 * Harmful events on the infrastructure of the service that a suspect does not explain: two faults at once are less likely than
 * one. The most harmful per machine counts.
 *
 * @param known the suspect and its effects
 */
export function leftOpenLines(known: ReadonlySet<EventFact>, context: IncidentContext): Line[] {
  const { graph, service } = context.input;
  const left = new Map<number, { readonly event: EventFact; readonly harm: number }>();
  const own = new Set([...known].flatMap(({ entity }) => graph.machinesOf(entity)));
  for (const { event, harm } of context.harmful()) {
    if (known.has(event)) continue;
    const machines = graph.machinesOf(event.entity);
    if (machines.some((machine) => own.has(machine))) continue;
    const [machine = event.entity] = machines;
    if (harm > (left.get(machine)?.harm ?? 0)) left.set(machine, { event, harm });
  }
  if (left.size === 0) return [];
  const found = [...left.values()].sort((a, b) => b.harm - a.harm);
  const total = found.reduce((sum, { harm }) => sum + harm, 0);
  const troubles = namesOf(found.map(({ event }) => `${readableType(event.type)} on ${event.device_id}`));
  return [
    line(
      leaves,
      Math.log1p(total),
      { troubles, service },
      found.map(({ event }) => eventRef(event)),
    ),
  ];
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
