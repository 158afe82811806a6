import type { EventFact } from '../../store/facts/reader.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import type { CausalLinks, Link } from './causal-links.ts';
import { causality } from './parameters.ts';

/** Machines with data, and the topology. */
export interface Ground {
  readonly graph: EntityGraph;
  readonly watchedMachines: ReadonlySet<number>;
}

/** Machines with data behind an entity: only their lack of events is evidence. */
export function watchedBehind(entity: number, { graph, watchedMachines }: Ground): ReadonlySet<number> {
  const found = new Set<number>();
  for (const machine of graph.machinesBelow(entity)) if (watchedMachines.has(machine)) found.add(machine);
  return found;
}

/** Machines covered by events: a sag of a PDU covers all machines behind it. */
export function machinesShowing(events: readonly EventFact[], { graph }: Pick<Ground, 'graph'>): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { entity } of events) for (const machine of graph.machinesBelow(entity)) found.add(machine);
  return found;
}

/**
 * Share of the machines expected to be affected that are not, 0 to 1; no evidence for few machines.
 * @param strength of the mechanism: share of the machines that it affects
 */
export const sparseness = (shown: number, of: number, strength: number): number =>
  of < causality.fewMachines ? 0 : Math.max(0, 1 - shown / (causality.recordedShare * strength * of));

/** Strength of the strongest mechanism. */
export const strongest = (links: readonly Link[]): number =>
  links.reduce((most, { mechanism }) => Math.max(most, mechanism.strength), 0);

/** Coverage of effects on the dependents of events, computed once per cause and effect type. */
export class Coverage {
  private readonly links: CausalLinks;
  private readonly ground: Ground;
  private readonly known = new Map<EventFact, Map<string, number>>();

  constructor(links: CausalLinks, ground: Ground) {
    this.links = links;
    this.ground = ground;
  }

  /**
   * How well a cause explains an effect, by its coverage of the other dependents of the cause, 0 to 1: a failure of a cooling
   * unit of sixty GPUs does not explain one that throttles.
   */
  of({ cause, effect, mechanism }: Link): number {
    if (mechanism.relation !== 'below') return 1;
    const byType = this.known.get(cause) ?? new Map<string, number>();
    this.known.set(cause, byType);
    const found = byType.get(effect.type) ?? this.find(cause, effect.type);
    byType.set(effect.type, found);
    return found;
  }

  private find(cause: EventFact, type: string): number {
    const inside = watchedBehind(cause.entity, this.ground);
    if (inside.size === 0) return 1;
    const links = this.links
      .effectsOf(cause)
      .filter(({ mechanism, effect }) => mechanism.relation === 'below' && effect.type === type);
    const machines = machinesShowing(
      links.map(({ effect }) => effect),
      this.ground,
    );
    const shown = [...machines].filter((box) => inside.has(box)).length;
    return 1 - Math.max(sparseness(shown, inside.size, strongest(links)), this.sparsenessOfParts(cause, links));
  }

  /** What befalls a whole machine befalls all its GPUs: one of eight that throttles has a cause of its own. */
  private sparsenessOfParts(cause: EventFact, links: readonly Link[]): number {
    const { graph } = this.ground;
    const affected = new Set(links.map(({ effect }) => effect.entity));
    if ([...affected].some((entity) => graph.node(entity)?.kind !== 'gpu')) return 0;
    // What reported one GPU would have reported the others.
    const gpus = [...graph.below(cause.entity)].filter((key) => graph.node(key)?.kind === 'gpu');
    return sparseness(affected.size, gpus.length, strongest(links));
  }
}
