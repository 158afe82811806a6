import { eventEntry } from '../../../model/telemetry/event-catalog.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { absent, predicted, sparse } from '../evidence/effects.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { eventRef, type Line, line } from '../evidence/kind.ts';
import { inOrder } from '../ranking/event-evidence/lateness.ts';
import type { IncidentContext } from '../ranking/incident-context.ts';
import { computed } from '../topology/links.ts';
import { isOfSoleSupply } from '../topology/sole-supply.ts';
import { ConcurrentEvents } from './concurrent-events.ts';
import { type Contrast, logOddsRatio } from './contrast.ts';
import { machinesShowing, sparseness, strongest, watchedBehind } from './coverage.ts';
import { causality } from './parameters.ts';

/**
 * Expected effects of a cause on the machines behind it: the share of machines with data that show them, compared with
 * machines outside its reach. Of several effect types the most significant one counts, because they are correlated.
 */
export function predictedEffects(event: EventFact, context: IncidentContext): Line[] {
  const { graph, mechanisms } = context.input;
  const ground = { graph, watchedMachines: context.watchedMachines };
  if (event.entity < 0) return [];
  const below = mechanisms.causedBy(event.type).filter(({ relation }) => relation === 'below');
  if (below.length === 0) return [];
  const inside = watchedBehind(event.entity, ground);
  if (inside.size === 0) return [];
  const linked = context.links.effectsOf(event);
  const own = linked.filter(({ mechanism }) => mechanism.relation === 'below');
  if (own.length === 0) {
    const { recordedLayers } = context.input.background;
    // What was not recorded predicts nothing, and a machine that lost its only supply does nothing more. What shows on the machine
    // itself, or on what it carries, is not absent.
    const shown = new Set(linked.map(({ effect }) => effect.type));
    const reliable = below.filter(
      ({ strength, effect }) =>
        strength >= causality.reliableStrength &&
        !shown.has(effect) &&
        recordedLayers.has(eventEntry(effect)?.layer ?? 'service'),
    );
    if (reliable.length === 0 || isOfSoleSupply(event, graph)) return [];
    const most = Math.max(...reliable.map(({ strength }) => strength));
    const types = namesOf([...new Set(reliable.map(({ effect }) => effect))]);
    return [line(absent, most, { device: event.device_id, machines: inside.size, types }, [eventRef(event)])];
  }
  const judged = [...Map.groupBy(own, ({ effect }) => effect.type)].map(([type, links]) => {
    const longest = Math.min(
      causality.effectMostSeconds,
      Math.max(causality.effectSeconds, ...links.map(({ mechanism }) => mechanism.delay_s[1])),
    );
    const effects = links.map(({ effect }) => effect);
    const contrast = compare(effects, { type, inside, at: event, longest }, context);
    const value = logOddsRatio(contrast) * inOrder(event, effects, context);
    return { type, links, contrast, value, refs: effects.map(eventRef) };
  });
  const best = judged.reduce((a, b) => (b.value > a.value ? b : a));
  const { shown, of } = best.contrast;
  const few = sparseness(shown, of, strongest(best.links));
  const behind = { device: event.device_id, type: best.type };
  if (few > 0) return [line(sparse, few, { ...behind, shown, of }, best.refs)];
  return [line(predicted, best.value, { ...behind, contrast: best.contrast }, best.refs)];
}

interface Where {
  readonly type: string;
  readonly inside: ReadonlySet<number>;
  readonly at: EventFact;
  readonly longest: number;
}

function compare(
  effects: readonly EventFact[],
  { type, inside, at, longest }: Where,
  context: IncidentContext,
): Contrast {
  const ground = { graph: context.input.graph, watchedMachines: context.watchedMachines };
  const shown = count(machinesShowing(effects, ground), (machine) => inside.has(machine));
  const showing = machinesByType(type, context);
  const elsewhere = showing.around(at, () => [-longest, longest]).keys - count(inside, (box) => showing.has(box));
  return {
    shown,
    of: Math.max(shown, inside.size),
    shownElsewhere: elsewhere,
    ofElsewhere: Math.max(elsewhere, context.watchedMachines.size - inside.size),
  };
}

const count = (keys: Iterable<number>, holds: (key: number) => boolean): number => {
  let found = 0;
  for (const key of keys) if (holds(key)) found++;
  return found;
};

const noTypes = (): Map<string, ConcurrentEvents<number>> => new Map();

/** Machines that show a type, by time. */
function machinesByType(type: string, context: IncidentContext): ConcurrentEvents<number> {
  const { graph } = context.input;
  const keysOf = ({ entity }: EventFact) => graph.machinesBelow(entity);
  const find = () => context.ofType(type).filter(({ entity }) => entity >= 0);
  return computed(context.once(noTypes), type, () => new ConcurrentEvents(find(), { keysOf, late_s: () => 0 }));
}
