import type { IncidentView } from '../../../model/contract/index.ts';
import type { Severity } from '../../../model/entity.ts';
import { requestsText } from '../../../model/incident/affected-requests.ts';
import { annotationRef } from '../../../model/incident/annotation.ts';
import { rangeText } from '../../../model/incident/cost.ts';
import { latencyOf } from '../../../model/incident/impact-latency.ts';
import type { Hypothesis } from '../../../model/incident/incident.ts';
import {
  harmText,
  impactedText,
  isMeasuredHarm,
  slowedText,
  throughputUnit,
} from '../../../model/incident/incident.ts';
import { jobLossText } from '../../../model/incident/job-loss.ts';
import type { JudgedHypothesis } from '../../../model/incident/judged-verdict.ts';
import type { Fact, ReportBlock } from '../../../model/incident/report-document.ts';
import { withTied } from '../../../model/incident/tied-hypotheses.ts';
import { unseenOnsetText } from '../../../model/incident/unseen-onset.ts';
import { fact, sentences, table } from '../facts.ts';
import type { IncidentFacts } from '../report-input.ts';
import {
  clockText,
  countText,
  decidedBy,
  durationText,
  figure,
  hoursText,
  hypothesisText,
  momentText,
  probabilityText,
  spanText,
  typeText,
  undecidedText,
} from '../report-text.ts';

type Figure = keyof IncidentView['worst_refs'];

/** Records of the first and the worst measurement of these figures, and of the incident, which holds the baseline. */
export const impactRefs = (
  view: IncidentView,
  figures: readonly Figure[] = ['p99', 'error_rate', 'throughput'],
): string[] => {
  const worst = figures.flatMap((figure) => view.worst_refs[figure] ?? []);
  return [...new Set([view.onset_ref, ...worst, incidentRef(view)])];
};
export const incidentRef = ({ incident }: IncidentView): string => `incident:${incident.id}`;

/** What degraded, the root cause, how it reached the service, and what it cost: a sentence each. */
export const summaryBlocks = (facts: IncidentFacts): ReportBlock[] => [
  sentences(whatDegraded(facts), ...rootCause(facts), howItSpread(facts), whatItCost(facts), ...whatJobLost(facts)),
  atAGlance(facts),
];

/** What a reader looks for first. Severity and owner are the investigator's to set. */
function atAGlance(facts: IncidentFacts): ReportBlock {
  const { view, recovered, detected, heading } = facts;
  const ended = recovered ? `recovered ${clockText(recovered.time_ns)}` : 'recovery not recorded';
  return table(
    ['Status', 'Severity', 'Owner', 'Onset (UTC)', 'Detected (UTC)', 'Duration'],
    [
      {
        cells: [
          ended,
          heading?.severity || 'not set',
          heading?.owner || 'not set',
          onsetText(view),
          detected ? clockText(detected.time_ns) : 'not recorded',
          lasted(facts),
        ],
        refs: [
          incidentRef(view),
          ...(heading ? [annotationRef(heading.id)] : []),
          ...[recovered, detected].flatMap((known) => known?.ref ?? []),
        ],
      },
    ],
  );
}

/** `02:18:10, at the earliest 02:18:00`: between two measurements. */
const onsetText = ({ onset_ns, onset_earliest_ns }: IncidentView): string =>
  onset_earliest_ns < onset_ns
    ? `${clockText(onset_ns)}, at the earliest ${clockText(onset_earliest_ns)}`
    : clockText(onset_ns);

/** What degraded, when and by how much. */
export function whatDegraded(facts: IncidentFacts): Fact {
  const { view, requests } = facts;
  const { harm, work, went_on } = view.incident;
  if (!isMeasuredHarm(harm)) return whatHappened(view, harmText({ harm, work, went_on }));
  const when =
    view.end_ns > view.onset_ns
      ? `for ${lasted(facts)}, from ${spanText(view.onset_ns, view.end_ns)}`
      : `at ${momentText(view.onset_ns)} (${lasted(facts)})`;
  const unseen = unseenOnsetText(impactedText(view.incident), view);
  const before = unseen ? ` Its onset is unknown: ${unseen}.` : '';
  const worse = whatGotWorse(facts);
  const { slowed_times } = view.incident;
  const slower = slowed_times === null ? [] : [slowedText(slowed_times)];
  const clauses = [...slower, ...worse.map(({ text }) => text)].join(', ') || 'its measurements left their baseline';
  const refs = impactRefs(
    view,
    worse.map(({ figure: one }) => one),
  );
  const reached = requests ? ` It had about ${affectedText(facts)}.` : '';
  return fact(`${impactedText(view.incident)} was ${harm} ${when}: ${clauses}.${reached}${before}`, refs);
}

function whatHappened(view: IncidentView, happened: string): Fact {
  const onset = momentText(view.onset_ns);
  const before = view.incident.impact.throughput_baseline_rps;
  const rate = before === null ? '' : ` It had completed ${figure(before, throughputUnit(view.incident.work))} before.`;
  return fact(`At ${onset} ${view.service} ${happened}.${rate}`, impactRefs(view, ['throughput']));
}

/** The cause in sentences: the investigator's judgement first, if there is one, then what was computed. */
export function rootCause(facts: IncidentFacts): Fact[] {
  const { view, verdict } = facts;
  const { confirmed, ruledOut, leading, undecided, isOverruled } = verdict;
  if (confirmed) {
    const agrees = confirmed.hypothesis === verdict.computed;
    const judged = judgedFact(confirmed, 'The investigator confirmed', ' as the root cause');
    return [
      judged,
      agrees ? computedFact(view, 'By evidence alone') : computedFact(view, 'By evidence alone, in contrast,'),
    ];
  }
  const first = ruledOut.find(({ hypothesis }) => hypothesis === verdict.computed);
  if (!isOverruled || !first) return [computedCause(view), ...whichPattern(facts)];
  const next =
    leading === null
      ? 'No hypothesis is left: the root cause is unknown.'
      : undecided.length > 0
        ? `No cause is confirmed. What is left is ${undecidedText(undecided)}.`
        : `No cause is confirmed. The next hypothesis is ${hypothesisText(leading)}, with probability ${probabilityText(leading.probability)}.`;
  return [
    judgedFact(first, 'The investigator ruled out'),
    fact(next, [incidentRef(view)]),
    computedFact(view, 'By evidence alone'),
  ];
}

/** Of a cause in software: the known failure that the same service shows whole, which states what changed there. */
function whichPattern({ view, findings }: IncidentFacts): Fact[] {
  const subject = view.incident.hypotheses[0]?.subject;
  if (subject?.kind !== 'service' || withTied(view.incident.hypotheses).length > 0) return [];
  const own = findings.find(
    ({ verdict, severity, entities: [main] }) =>
      verdict === 'complete' && isStrong[severity] && main?.kind === 'service' && main.id === subject.id,
  );
  if (!own) return [];
  const refs = own.evidence.flatMap(({ refs: of }) => of.slice(0, 1)).slice(0, MOST_TIED_REFS);
  return [fact(`It shows as a known failure: ${own.title}. ${own.headline}`, refs)];
}
const isStrong: Readonly<Record<Severity, boolean>> = { critical: true, high: true, medium: false, low: false };

/** No hypothesis of a tie is the root cause: their order by rank is chance. */
function undecidedFact(view: IncidentView, tied: readonly Hypothesis[]): Fact {
  const probabilities = tied.map(({ probability }) => probability.toFixed(2));
  const decides = decidedBy(tied);
  const more = decides === null ? '' : ` What would decide it: ${decides}.`;
  const refs = tied.flatMap(({ evidence }) => evidence.flatMap(({ refs: own }) => own.slice(0, 1)).slice(0, 2));
  return fact(
    `The root cause is ${undecidedText(tied)}, because none is clearly more probable than the others (${probabilities.join(', ')}).${more}`,
    [incidentRef(view), ...refs.slice(0, MOST_TIED_REFS)],
  );
}
const MOST_TIED_REFS = 4;

function judgedFact({ hypothesis, reason, annotation }: JudgedHypothesis, does: string, as = ''): Fact {
  const why = reason === '' ? '; no reason was given' : `: ${reason.replace(/[.\s]+$/, '')}`;
  return fact(`${does} ${hypothesisText(hypothesis)}${as}${why}.`, [annotationRef(annotation)]);
}

function computedFact(view: IncidentView, lead: string): Fact {
  const { text, refs } = computedCause(view);
  return fact(`${lead} ${text.charAt(0).toLowerCase()}${text.slice(1)}`, refs);
}

function computedCause(view: IncidentView): Fact {
  const [best] = view.incident.hypotheses;
  if (!best) return fact('The root cause is unknown.', [incidentRef(view)]);
  const tied = withTied(view.incident.hypotheses);
  if (tied.length > 0) return undecidedFact(view, tied);
  const lastEventStep = view.steps.find(({ ref, time_ns }) => ref.startsWith('event:') && time_ns <= view.onset_ns);
  const own = best.evidence.flatMap(({ refs }) => refs).find((ref) => ref.startsWith('event:'));
  const chainBegins = best.event_id !== null && best.event_id === view.incident.causal_chain[0]?.event_id;
  const ref = (chainBegins ? lastEventStep?.ref : own) ?? incidentRef(view);
  const probability = probabilityText(best.probability);
  return best.subject && best.subject.kind !== 'service'
    ? fact(`The most probable root cause is ${hypothesisText(best)}, with probability ${probability}.`, [ref])
    : fact(
        `No physical root cause is claimed: the most probable explanation is "${hypothesisText(best)}", with probability ${probability}.`,
        [ref],
      );
}

/** The events between the root cause and the impact, in the order of the chain. */
function howItSpread({ view, verdict }: IncidentFacts): Fact {
  const { steps, incident, service } = view;
  const own = [incidentRef(view)];
  if (steps.length <= 1) return fact(`No recorded event leads to ${service}.`, own);
  const path: IncidentView['steps'][number][] = [];
  for (let at = steps.at(-1)?.cause ?? null; at !== null; at = steps[at]?.cause ?? null) path.unshift(steps[at]!);
  const between = path.slice(1).map(({ type, device }) => `${typeText(type)} on ${device}`);
  const route = between.length === 0 ? 'without a recorded step between' : `through ${joined(between)}`;
  const [first] = path;
  if (!first) return fact(`No known mechanism links the recorded events to ${service}.`, own);
  const isLead = incident.hypotheses[0]?.event_id !== incident.causal_chain[0]?.event_id;
  const isOpen = verdict.undecided.some(({ event_id }) => event_id === incident.causal_chain[0]?.event_id);
  const isDoubted = verdict.isOverruled && verdict.leading?.event_id !== incident.causal_chain[0]?.event_id;
  const caution = isDoubted
    ? ' (as computed, not as the investigator judged)'
    : isOpen
      ? ' (of one of the explanations between which it is undecided)'
      : isLead
        ? ' (a lead: the evidence favours another explanation)'
        : '';
  const start = `${typeText(first.type)} on ${first.device}`;
  const refs = path.map(({ ref }) => ref).slice(0, 5);
  return fact(`The chain leads from ${start} to ${service} ${route}${caution}.`, refs);
}

const joined = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;

/** Of a job that stopped, what it lost is stated instead: it served no request, and held its GPUs for longer than records show it waiting. */
function whatItCost({ view, gpus, cost, recovered, lost }: IncidentFacts): Fact {
  const { total_gpu_hours: hours } = cost;
  const took =
    hours === null
      ? 'The number of affected GPUs is unknown'
      : `${countText(gpus.length, 'GPU')} served it meanwhile (${hoursText(hours)}, cost ${rangeText(cost.total, cost.currency)})`;
  const after = recovered
    ? `${impactedText(view.incident)} was back to normal at ${momentText(recovered.time_ns)}`
    : `${lost === null ? 'its' : 'Its'} recovery was not recorded`;
  const text = lost === null ? `${took}; ${after}` : after;
  return fact(`${text}.`, [incidentRef(view), ...(recovered ? [recovered.ref] : [])]);
}

/** GPU hours that a job which stopped lost, and their price. */
export const whatJobLost = ({ view, lost }: IncidentFacts): Fact[] =>
  lost === null ? [] : [fact(jobLossText(lost), [incidentRef(view)])];

/**
 * A single bad measurement lasted at most since the good one before it; a stall lasted to the end of the recording at least, and work that ended has no end.
 * What no good measurement follows lasted longer than was measured.
 */
export function lasted({ view, recovered }: Pick<IncidentFacts, 'view' | 'recovered'>): string {
  const { onset_ns, onset_earliest_ns, end_ns } = view;
  const { harm, went_on } = view.incident;
  const length = end_ns > onset_ns ? durationText(Number(end_ns - onset_ns) / 1e9) : undefined;
  if ((harm === 'stalled' && !went_on) || harm === 'ended' || harm === 'failed' || harm === 'diverged')
    return `${length === undefined ? 'an unknown time' : `at least ${length}`}: no record shows that it went on`;
  if (length !== undefined) return recovered ? length : `at least ${length}`;
  if (!recovered) return 'one measurement, the last';
  const most = Number(end_ns - onset_earliest_ns) / 1e9;
  return most > 0 ? `up to ${durationText(most)}` : 'one measurement';
}

/** A single measurement by chance is not so much worse. */
const FAR_TIMES = 2;
/** A rate that differs by less on average is as before. */
const NEAR_SHARE = 0.85;
/** Of requests above the P99 of the baseline, which is one of short intervals: of few requests it is the longest. */
const SLOW_SHARE = 0.05;

/** Whether requests took longer: many of them together, or some of them by far. */
function areSlower({ view, requests }: IncidentFacts): boolean {
  const { baseline, peak } = latencyOf(view.incident.impact);
  if (peak === null || peak <= (baseline ?? 0)) return false;
  const areMany = !requests || requests.slow === null || requests.slow > SLOW_SHARE * requests.total;
  return areMany || peak >= FAR_TIMES * (baseline ?? 0);
}

/** Requests during the impact, without those above the P99 of the baseline where there are some at any time; '': not counted. */
export const affectedText = (facts: IncidentFacts): string =>
  facts.requests ? requestsText(areSlower(facts) ? facts.requests : { ...facts.requests, slow: null }) : '';

/**
 * Only the figures that did get worse: the worst of many measurements is beyond the baseline by chance, too, unless it is far beyond it, or
 * the requests show it together.
 */
function whatGotWorse(facts: IncidentFacts): { figure: Figure; text: string }[] {
  const { view, requests } = facts;
  const { impact, work } = view.incident;
  const clauses: { figure: Figure; text: string }[] = [];
  const { error_rate_baseline_percent, error_rate_peak_percent } = impact;
  const { name, baseline, peak } = latencyOf(impact);
  const { throughput_baseline_rps, throughput_peak_rps } = impact;
  if (areSlower(facts)) {
    const text = `${name} rose from ${figure(baseline, 'ms')} to ${figure(peak, 'ms')} at worst`;
    clauses.push({ figure: 'p99', text });
  }
  if (error_rate_peak_percent !== null && error_rate_peak_percent > (error_rate_baseline_percent ?? 0)) {
    const text = `errors rose from ${figure(error_rate_baseline_percent, '%')} to ${figure(error_rate_peak_percent, '%')} in the worst interval`;
    clauses.push({ figure: 'error_rate', text });
  }
  const lasted_s = Number(view.end_ns - view.onset_ns) / 1e9;
  const usual = throughput_baseline_rps ?? 0;
  const areFewer = !requests || lasted_s <= 0 || requests.total / lasted_s < NEAR_SHARE * usual;
  if (throughput_peak_rps !== null && throughput_peak_rps < (areFewer ? usual : usual / FAR_TIMES))
    clauses.push({
      figure: 'throughput',
      text: `throughput fell from ${throughput_baseline_rps} to ${figure(throughput_peak_rps, throughputUnit(work))} at worst`,
    });
  return clauses;
}
