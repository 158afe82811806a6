import { severities } from '../../../../model/entity.ts';
import type { EventFact } from '../../../store/facts/reader.ts';
import { severityWeight } from '../../causality/event-traits.ts';
import { readableType } from '../../evidence/evidence-text.ts';
import { defineKind, eventRef, type Line, line } from '../../evidence/kind.ts';
import { isOwnLimit } from '../memory-limits.ts';
import { ranking } from '../parameters.ts';
import type { EventEvidence } from './event-evidence.ts';

/** Prior knowledge of events of this type. */
export const rootType = defineKind<{ readonly type: string; readonly isRoot: boolean }>({
  id: 'root_type',
  sign: 1,
  judgement: 1,
  least: 1,
  most: 2,
  text: ({ type, isRoot }) =>
    `${readableType(type)} ${isRoot ? 'is known to start incidents' : 'is usually an effect or harmless'}`,
});

const severity = defineKind<{ readonly severity: number }>({
  id: 'severity',
  sign: 1,
  judgement: 0.5,
  least: 0.4,
  text: (parameters) => `reported as ${severities[parameters.severity] ?? 'unknown severity'}`,
});

const severityValue = ({ severity: level }: EventFact): number =>
  [1, ranking.highSeverityValue, 0, ranking.lowSeverityValue][level] ?? 0;

export const severityLine = (event: EventFact): Line =>
  line(severity, severityValue(event), { severity: event.severity }, [eventRef(event)]);

export const typeEvidence: EventEvidence = {
  kinds: [rootType, severity],
  find: ({ event }, { input }) => {
    const usual = input.mechanisms.rootWeight(event.type) - (1 - severityWeight(event));
    // A container at its own limit is no evidence on its machine.
    const weight = isOwnLimit(event) && !input.graph.isSoftware(event.entity) ? Math.min(usual, 0) : usual;
    const { type } = event;
    return [line(rootType, weight, { type, isRoot: weight > 0 }, [`mechanism:${type}`]), severityLine(event)];
  },
};
