import { eventEntry } from '../../../../model/telemetry/event-catalog.ts';
import { readableType } from '../../evidence/evidence-text.ts';
import { defineKind, eventRef, line } from '../../evidence/kind.ts';
import type { EventEvidence } from './event-evidence.ts';

const selfReported = defineKind<{ readonly type: string; readonly service: string }>({
  id: 'self_reported',
  sign: -1,
  judgement: -1,
  isJudged: true,
  text: ({ type, service }) => `${readableType(type)} is reported by ${service} itself, and usually an effect`,
});

/** A watchdog, allocator or data loader reports what happened to its own process: a symptom as often as a cause. */
export const selfReportedEvidence: EventEvidence = {
  kinds: [selfReported],
  find: ({ event }, { input: { service, window } }) =>
    event.entity === window.service && eventEntry(event.type)?.layer === 'service'
      ? [line(selfReported, 1, { type: event.type, service }, [eventRef(event)])]
      : [],
};
