import { readableType } from '../../evidence/evidence-text.ts';
import { defineKind, entityRef, eventRef, type Line, line } from '../../evidence/kind.ts';
import { round } from '../../statistics.ts';
import type { Candidate } from '../candidates.ts';
import type { IncidentContext } from '../incident-context.ts';
import { ranking } from '../parameters.ts';
import type { EventEvidence } from './event-evidence.ts';

const routine = defineKind<{ readonly type: string; readonly device: string; readonly times: number }>({
  id: 'routine',
  sign: -1,
  judgement: -0.6,
  least: 0.3,
  text: ({ type, device, times }) => `${readableType(type)} was recorded ${times} times on ${device} at other times`,
});

const elsewhere = defineKind<{ readonly type: string; readonly devices: number; readonly service: string }>({
  id: 'elsewhere',
  sign: -1,
  judgement: -1,
  text: ({ type, devices, service }) =>
    `${readableType(type)} at the same time on ${devices} devices that ${service} does not use`,
});

/** An event that recurs all the time, or on many devices, is rarely a root cause. */
function habitLines({ event }: Candidate, context: IncidentContext): Line[] {
  const { background, graph, service } = context.input;
  const recorded = background.occurrences(event.entity, event.type);
  const same = recorded < 2 ? 1 : context.timesOn(event.type, event.entity);
  const before = Math.max(0, recorded - same);
  const devices = context.elsewhere(event.type, event.time_ns, ranking.elsewhereSeconds);
  const { type, device_id: device } = event;
  return [
    line(
      routine,
      Math.log1p(Math.min(before, ranking.mostOccurrences)),
      { type, device, times: before },
      entityRef(graph, event.entity),
    ),
    line(elsewhere, round(Math.log1p(devices), 3), { type, devices, service }, [eventRef(event)]),
  ];
}

export const habitEvidence: EventEvidence = { kinds: [routine, elsewhere], find: habitLines };
