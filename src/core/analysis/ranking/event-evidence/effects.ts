import type { EventFact } from '../../../store/facts/reader.ts';
import { severityWeight } from '../../causality/event-traits.ts';
import { explains } from '../../evidence/effects.ts';
import { namesOf } from '../../evidence/evidence-text.ts';
import { eventRef, type Line, line } from '../../evidence/kind.ts';
import { unconnected } from '../../evidence/path.ts';
import type { IncidentContext } from '../incident-context.ts';
import { ranking } from '../parameters.ts';
import type { EventEvidence } from './event-evidence.ts';
import { inOrder } from './lateness.ts';

/** Probability that it harms workloads on its entity, 0 to 1. */
const harmOf = (event: EventFact, { input: { mechanisms } }: IncidentContext): number =>
  (mechanisms.harmOf(event.type)?.strength ?? 0) * severityWeight(event);

function effectLines(event: EventFact, context: IncidentContext): Line[] {
  const found = [...context.explainedBy(event)].map(
    ([effect, strength]) => [effect, strength * context.relevance(effect)] as const,
  );
  const total = found.reduce((sum, [, strength]) => sum + strength, 0);
  if (total === 0) {
    if (harmOf(event, context) >= ranking.leastHarm) return [];
    // Effects in a layer that nobody recorded are not missing.
    const strength = context.harmOf(event.type)?.strength ?? 0;
    const hidden = strength < ranking.leastHarm ? 0 : strength * severityWeight(event);
    return [line(unconnected, 1 - hidden, { service: context.input.service }, [eventRef(event)])];
  }
  const value = Math.log1p(total);
  const groups = [...Map.groupBy(found, ([effect]) => effect.type)];
  // Their total weight is divided among them, so that the lines add up.
  return groups.map(([type, group]) => {
    const strength = group.reduce((sum, [, one]) => sum + one, 0);
    const effects = group.map(([effect]) => effect);
    const share = (strength / total) * inOrder(event, effects, context);
    const delay_s = Math.min(...effects.map(({ time_ns }) => Number(time_ns - event.time_ns) / 1e9));
    const devices = namesOf([...new Set(effects.map(({ device_id }) => device_id))]);
    return line(explains, value * share, { of: 'event', type, devices, delay_s }, effects.map(eventRef));
  });
}

export const effectEvidence: EventEvidence = { find: ({ event }, context) => effectLines(event, context) };
