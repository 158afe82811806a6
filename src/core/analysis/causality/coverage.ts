import type { EventFact } from '../../store/facts/reader.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import type { CausalLinks, Link } from './causal-links.ts';

/** Of fewer machines a share says little. */
const SEVERAL = 3;
/** Of the effects that a mechanism has, so many are recorded. */
const RECORDED = 0.6;

/** Machines of which anything was recorded, and what hangs on what. */
export interface Ground {
  readonly graph: EntityGraph;
  readonly watchedMachines: ReadonlySet<number>;
}

/** Machines behind a thing of which it means something that they show nothing. */
export const watchedBehind = (entity: number, { graph, watchedMachines }: Ground): ReadonlySet<number> =>
  new Set([...graph.machinesBelow(entity)].filter((machine) => watchedMachines.has(machine)));

/** The machines on which events show: a strip that sags shows it for all the machines on it. */
export const machinesShowing = (events: readonly EventFact[], { graph }: Ground): ReadonlySet<number> =>
  new Set(events.flatMap(({ entity }) => [...graph.machinesBelow(entity)]));

/** How much less of an effect shows on so many machines than its mechanism makes one expect, 0 to 1; of few it says nothing. */
export function sparseness(shown: number, of: number, links: readonly Link[]): number {
  const strength = links.reduce((most, { mechanism }) => Math.max(most, mechanism.strength), 0);
  return of < SEVERAL ? 0 : Math.max(0, 1 - shown / (RECORDED * strength * of));
}

/** How far the effects of events show on what hangs on these; each cause and type of effect is looked at once. */
export class Coverage {
  private readonly links: CausalLinks;
  private readonly ground: Ground;
  private readonly known = new Map<EventFact, Map<string, number>>();

  constructor(links: CausalLinks, ground: Ground) {
    this.links = links;
    this.ground = ground;
  }

  /**
   * How well a cause explains an effect by how far it shows on what else hangs on the cause, 0 to 1: a cooling unit that was too
   * warm for sixty GPUs does not explain one that throttles.
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
    return 1 - sparseness(shown, inside.size, links);
  }
}
