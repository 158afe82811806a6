import type { Evidence, Hypothesis, Incident, TypedEvidence, TypedHypothesis } from '../../model/incident/incident.ts';
import { evidenceText } from './evidence/index.ts';
import type { Warning } from './warnings/warning.ts';
import { warningText } from './warnings/warning-text.ts';

/** An incident whose evidence and warnings are not words yet. */
export type TypedIncident = Omit<Incident, 'hypotheses' | 'warnings'> & {
  readonly hypotheses: readonly TypedHypothesis[];
  readonly warnings: readonly Warning[];
};

/** Evidence with its text, only added where a host shows or writes a result. */
export const writtenEvidence = (evidence: TypedEvidence): Evidence => ({ ...evidence, text: evidenceText(evidence) });

export const writtenHypothesis = (hypothesis: TypedHypothesis): Hypothesis => ({
  ...hypothesis,
  evidence: hypothesis.evidence.map(writtenEvidence),
});

export const writtenIncident = (incident: TypedIncident): Incident => ({
  ...incident,
  hypotheses: incident.hypotheses.map(writtenHypothesis),
  warnings: incident.warnings.map(warningText),
});
