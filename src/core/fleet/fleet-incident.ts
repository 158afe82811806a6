import type { IncidentView } from '../../model/contract/index.ts';
import { type Annotation, hypothesisKey } from '../../model/incident/annotation.ts';
import type { FindingView } from '../../model/incident/finding.ts';
import { actionsOf, headingOf } from '../../model/incident/follow-up.ts';
import { impactedText } from '../../model/incident/incident.ts';
import { judgedVerdict } from '../../model/incident/judged-verdict.ts';
import { timesWorse } from './times-worse.ts';

/** What a case knows of its incidents. */
export interface CaseConclusions {
  /** Name of the case. */
  readonly case: string;
  readonly incidents: readonly IncidentView[];
  readonly findings: readonly FindingView[];
  readonly annotations: readonly Annotation[];
}

/** An incident as a fleet keeps it: a row of `faultline_incidents`. */
export interface FleetIncident {
  readonly Case: string;
  readonly Incident: string;
  readonly Start: string;
  readonly End: string;
  readonly Service: string;
  /** The service, or which part of it. */
  readonly Impacted: string;
  readonly Harm: string;
  readonly TimesWorse: number;
  /** `confirmed` by the investigator, `computed`, or `undecided` between several. */
  readonly Verdict: 'confirmed' | 'computed' | 'undecided';
  /** `kind:id type`, the cause first: what was judged comes before what was computed. */
  readonly Cause: string;
  readonly CauseType: string;
  readonly Probability: number;
  /** Others that were not ruled out, as Cause. */
  readonly Suspects: readonly string[];
  readonly RuledOut: readonly string[];
  /** Types of the steps, the root cause first. */
  readonly Chain: readonly string[];
  /** Names of the patterns that were found meanwhile. */
  readonly Patterns: readonly string[];
  readonly Title: string;
  readonly Severity: string;
  readonly Owner: string;
  /** Action items: what was to be done, and what of it was. */
  readonly Actions: readonly string[];
  readonly Done: readonly string[];
}

/** A row of `faultline_findings`. */
export interface FleetFinding {
  readonly Case: string;
  readonly Finding: string;
  readonly Pattern: string;
  readonly Start: string;
  readonly End: string;
  readonly Severity: string;
  readonly Headline: string;
  /** `kind:id`, the main one first. */
  readonly Entities: readonly string[];
  readonly Remediation: readonly string[];
}

/** Less probable hypotheses are no suspects. */
const LEAST_PROBABLE = 0.05;

export function fleetIncident(
  view: IncidentView,
  { case: name, findings, annotations }: CaseConclusions,
): FleetIncident {
  const { incident } = view;
  const verdict = judgedVerdict(incident, annotations);
  const cause = verdict.leading;
  const ruledOut = new Set(verdict.ruledOut.map(({ hypothesis }) => hypothesis));
  const heading = headingOf(annotations, incident.id);
  const actions = actionsOf(annotations, incident.id);
  const meanwhile = findings.filter(({ start_ns, end_ns }) => start_ns <= view.end_ns && end_ns >= view.start_ns);
  const others = incident.hypotheses.filter(
    (one) => one !== cause && !ruledOut.has(one) && one.probability >= LEAST_PROBABLE,
  );
  return {
    Case: name,
    Incident: incident.id,
    Start: clickhouseTime(view.onset_earliest_ns),
    End: clickhouseTime(view.end_ns),
    Service: view.service,
    Impacted: impactedText(incident),
    Harm: incident.harm,
    TimesWorse: timesWorse(incident.impact),
    Verdict: verdict.confirmed ? 'confirmed' : verdict.undecided.length > 1 ? 'undecided' : 'computed',
    Cause: cause ? hypothesisKey(cause.subject, cause.type) : '',
    CauseType: cause?.type ?? '',
    Probability: cause?.probability ?? 0,
    Suspects: others.map(({ subject, type }) => hypothesisKey(subject, type)),
    RuledOut: verdict.ruledOut.map(({ hypothesis: { subject, type } }) => hypothesisKey(subject, type)),
    Chain: view.steps.map(({ type }) => type),
    Patterns: [...new Set(meanwhile.map(({ pattern }) => pattern))].sort(),
    Title: heading?.text ?? '',
    Severity: heading?.severity ?? '',
    Owner: heading?.owner ?? '',
    Actions: actions.map(({ text }) => text),
    Done: actions.filter(({ done }) => done).map(({ text }) => text),
  };
}

export const fleetFinding = (finding: FindingView, name: string): FleetFinding => ({
  Case: name,
  Finding: finding.id,
  Pattern: finding.pattern,
  Start: clickhouseTime(finding.start_ns),
  End: clickhouseTime(finding.end_ns),
  Severity: finding.severity,
  Headline: finding.headline,
  Entities: finding.entities.map(({ kind, id }) => `${kind}:${id}`),
  Remediation: finding.remediation.map(({ text }) => text),
});

/** `2026-05-01 14:00:00.000000001`, in UTC. */
export function clickhouseTime(ns: bigint): string {
  const seconds = ns / 1_000_000_000n;
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ');
  return `${text}.${String(ns % 1_000_000_000n).padStart(9, '0')}`;
}
