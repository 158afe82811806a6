import type { Evidence, Harm, Hypothesis, Incident, MeanOf, Work } from './incident-schema.ts';

export type {
  ChainStep,
  CorrelateOptions,
  Evidence,
  Harm,
  Hypothesis,
  Impact,
  Incident,
  MeanOf,
  Report,
  ServicePart,
  Work,
} from './incident-schema.ts';

/** Names of such a mean. */
export const meanTexts: Readonly<Record<MeanOf, string>> = {
  request: 'Mean latency',
  token: 'Mean time per output token',
};

/** Figures show what such a harm is; others are stated in words. */
export const isMeasuredHarm = (harm: Harm): harm is 'degraded' | 'slowed' => harm === 'degraded' || harm === 'slowed';
/** The last step of a chain, as readers are shown it; `trace_degradation` in the seed's JSON. */
export const impactTypes: Readonly<Record<Harm, string>> = {
  degraded: 'service_degraded',
  slowed: 'job_slowed',
  stalled: 'job_stalled',
  ended: 'work_ended',
  failed: 'job_failed',
  restarted: 'training_resumed',
  diverged: 'training_diverged',
};
const harmTexts: Readonly<Record<Exclude<Harm, 'degraded' | 'slowed' | 'stalled'>, string>> = {
  ended: 'ended: nothing more of it was recorded, and its GPUs did nothing',
  failed: 'failed: records state that it, or a rank of it, ended before it was done, and none shows that it went on',
  restarted: 'stopped, and was started again from an earlier step: what it had done since then had to be done again',
  diverged: 'diverged: the loss that it logs is not finite any more, and what it computed since then is lost',
};
/** Of a job that is slowed. */
export const slowedText = (times: number): string => `a step took ${times} times as long`;
export const throughputUnits: Readonly<Record<Work, string>> = {
  requests: 'req/s',
  steps: 'steps/s',
  collectives: 'collectives/s',
};
const oneUnits: Readonly<Record<Work, string>> = { requests: 'req/s', steps: 'step/s', collectives: 'collective/s' };
/** The unit behind a number of work a second, as the number is written: `1 step/s`, `0.5 steps/s`. */
export const throughputUnit =
  (work: Work) =>
  (written: number | string): string =>
    String(written) === '1' ? oneUnits[work] : throughputUnits[work];

/** Evidence before it is written as a sentence: what everything but a reader gets. */
export type TypedEvidence = Omit<Evidence, 'text'>;

const MOST_SUBJECTS = 4;

/** `UPS-A`, `UPS-A and UPS-B`, of many the first ones and how many more; '' without a subject. */
export function subjectName({ subject, also = [] }: Pick<Hypothesis, 'subject' | 'also'>): string {
  if (subject === null) return '';
  const names = [subject, ...also].map(({ id, name }) => name ?? id);
  if (names.length <= MOST_SUBJECTS) return names.join(' and ');
  return `${names.slice(0, MOST_SUBJECTS - 1).join(', ')} and ${names.length - MOST_SUBJECTS + 1} more`;
}

export type TypedHypothesis = Omit<Hypothesis, 'evidence'> & { readonly evidence: readonly TypedEvidence[] };

/** Behind the name of the work: what happened to it, of harm that figures do not show. */
export function harmText({
  harm,
  work,
  went_on,
}: Pick<Incident, 'work' | 'went_on'> & { readonly harm: Exclude<Harm, 'degraded' | 'slowed'> }): string {
  if (harm !== 'stalled') return harmTexts[harm];
  const after = went_on ? 'and went on later' : 'and no record shows that it went on';
  return work === 'steps'
    ? `stalled: it completed no step, ${after}`
    : `stalled: its ranks ${went_on ? 'waited' : 'wait'} in a collective operation, ${after}`;
}

/** What degraded, as the subject of a sentence: "llm-api for model small". */
export function impactedText({
  affected_services,
  affected_parts: [first, ...others],
}: Pick<Incident, 'affected_services' | 'affected_parts'>): string {
  const service = affected_services.join(', ');
  if (!first) return service;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  if (first.kind === 'rank') return `${service} on ${first.name}${more}`;
  return `${service} ${first.kind === 'replica' ? 'on' : 'for'} ${first.kind} ${first.name}${more}`;
}

/** Beside stages of the requests of services, where only some of these requests degraded; '': all did, or the stages are apart by model. */
export function stagesOfAllText({ affected_parts: [first] }: Pick<Incident, 'affected_parts'>): string {
  if (!first || first.kind === 'rank' || first.kind === 'model') return '';
  const those = first.kind === 'replica' ? `on replica ${first.name}` : `for ${first.kind} ${first.name}`;
  return `Stages are of all requests of a service; those ${those}, which degraded, may differ.`;
}

/** How bad an incident was for people, without unit: which of several is looked at first. */
export function incidentStrength({ impact }: Pick<Incident, 'impact'>): number {
  const latency = Math.max(0, impact.p99_change_percent ?? 0) / 100;
  const errors = Math.max(0, (impact.error_rate_peak_percent ?? 0) - (impact.error_rate_baseline_percent ?? 0)) / 10;
  const throughput = Math.max(0, -(impact.throughput_first_change_percent ?? 0)) / 100;
  return Math.log1p(latency) + Math.log1p(errors) + throughput;
}
