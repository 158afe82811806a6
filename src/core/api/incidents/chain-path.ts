import type { Conclusion } from '../../analysis/conclude.ts';

type ChainSteps = Conclusion['incident']['causal_chain'];

/** Index of the cause of each step. */
export function causesOf(chain: ChainSteps): (number | null)[] {
  const places = new Map(chain.map(({ event_id }, at) => [event_id, at]));
  return chain.map(({ caused_by }, at) => {
    const cause = caused_by === null ? undefined : places.get(caused_by);
    return cause !== undefined && cause < at ? cause : null;
  });
}

/** The places of a chain's events: steps to the impact, and devices that the same cause reached beside them. */
export interface ChainPath {
  readonly steps: readonly number[];
  /** The topology has these devices, and no path from them to the service. */
  readonly beside: readonly number[];
}

/** A step of the chain is on a path to the service, or leads to such a step. What the topology does not know may be on one. */
export function chainPath({ chain, incident, graph, window }: Conclusion): ChainPath {
  const isBeside = ({ relation, event }: (typeof chain.members)[number]): boolean =>
    relation === 'unmapped' && graph.isPlaced(window.service) && graph.hasLinks(event.entity);
  const causes = causesOf(incident.causal_chain);
  const onPath = new Set(chain.members.flatMap((member, at) => (at > 0 && isBeside(member) ? [] : [at])));
  const last = causes[chain.members.length] ?? null;
  for (const from of [...onPath, ...(last === null ? [] : [last])])
    for (let at: number | null = from; at !== null; at = causes[at] ?? null) onPath.add(at);
  const places = [...chain.members.keys()];
  return { steps: places.filter((at) => onPath.has(at)), beside: places.filter((at) => !onPath.has(at)) };
}
