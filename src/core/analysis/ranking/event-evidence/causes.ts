import type { EventFact } from '../../../store/facts/reader.ts';
import { severityWeight } from '../../causality/event-traits.ts';
import { explained, explainedRoot } from '../../evidence/effects.ts';
import { eventRef, type Line, line } from '../../evidence/kind.ts';
import type { IncidentContext } from '../incident-context.ts';
import type { EventEvidence } from './event-evidence.ts';

function causeLines(event: EventFact, context: IncidentContext): Line[] {
  const best = context.links
    .causesOf(event)
    .filter(({ cause }) => context.relationOf(cause) !== 'other')
    .map((link) => ({ cause: link.cause, sure: context.belief(link) }))
    .toSorted((a, b) => b.sure - a.sure)[0];
  if (!best) return [];
  const { cause, sure } = best;
  const before_s = Number(event.time_ns - cause.time_ns) / 1e9;
  const { type, device_id: device } = cause;
  return [line(explained, sure, { type, device, before_s }, [eventRef(cause)]), ...originLines(event, context)];
}

/** A known root cause explains the event over any number of steps: without it the event would be one more coincidence. */
function originLines(event: EventFact, context: IncidentContext): Line[] {
  const { mechanisms } = context.input;
  const origins = [...context.explainersOf(event)]
    .filter(([cause]) => context.relationOf(cause) !== 'other')
    .map(([cause, sure]) => ({
      cause,
      value: sure * Math.min(1, mechanisms.rootWeight(cause.type) * severityWeight(cause)),
    }))
    .toSorted((a, b) => b.value - a.value);
  const [best] = origins;
  if (!best || best.value <= 0) return [];
  const { cause, value } = best;
  return [line(explainedRoot, value, { type: cause.type, device: cause.device_id }, [eventRef(cause)])];
}

export const causeEvidence: EventEvidence = { find: ({ event }, context) => causeLines(event, context) };
