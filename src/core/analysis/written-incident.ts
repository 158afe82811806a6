import type {
  Evidence,
  Hypothesis,
  Incident,
  TypedEvidence,
  TypedHypothesis,
  TypedIncident,
} from '../../model/incident/incident.ts';
import { evidenceText } from './evidence/index.ts';

/** Evidence with its text, only added where a host shows or writes a result. */
export const writtenEvidence = (evidence: TypedEvidence): Evidence => ({ ...evidence, text: evidenceText(evidence) });

export const writtenHypothesis = (hypothesis: TypedHypothesis): Hypothesis => ({
  ...hypothesis,
  evidence: hypothesis.evidence.map(writtenEvidence),
});

export const writtenIncident = (incident: TypedIncident): Incident => ({
  ...incident,
  hypotheses: incident.hypotheses.map(writtenHypothesis),
});
