import { line } from '../evidence/kind.ts';
import { priorEvent } from '../evidence/priors.ts';
import type { Candidate } from './candidates.ts';
import { eventEvidence } from './event-evidence/index.ts';
import type { Suspect } from './hypothesis-line.ts';
import type { IncidentContext } from './incident-context.ts';

/** One event as a suspect, with its evidence. */
export function suspectEvent(candidate: Candidate, context: IncidentContext): Suspect {
  const { event } = candidate;
  const node = context.input.graph.node(event.entity);
  const found = eventEvidence.flatMap((evidence) => evidence.find(candidate, context));
  return {
    event,
    type: event.type,
    subject: { kind: node?.kind ?? 'device', id: event.device_id },
    lines: [line(priorEvent, 1, {}), ...found].filter(({ value }) => value !== 0),
  };
}
