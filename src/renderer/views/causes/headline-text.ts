import type { IncidentView } from '../../../model/contract/index.ts';
import { type ImpactLatency, latencyOf } from '../../../model/incident/impact-latency.ts';
import {
  type Hypothesis,
  harmText,
  type Incident,
  impactedText,
  isMeasuredHarm,
  slowedText,
  subjectName,
  throughputUnit,
  type Work,
} from '../../../model/incident/incident.ts';
import type { JudgedVerdict } from '../../../model/incident/judged-verdict.ts';
import { percentText } from '../../../model/incident/percent-text.ts';
import { tiedWithFirst } from '../../../model/incident/tied-hypotheses.ts';
import { formatDuration, formatOffset } from '../../draw/text/format-time.ts';
import {
  formatNumber,
  formatProbability,
  formatValue,
  likelihood,
  readableType,
} from '../../draw/text/format-value.ts';

export const subjectOf = (hypothesis: Hypothesis): string => {
  if (hypothesis.type === 'no_physical_cause') return 'No physical cause';
  if (hypothesis.type === 'insufficient_evidence') return 'Not enough evidence';
  return subjectName(hypothesis) || 'unknown';
};

/** The evidence does not favour the event at the start of the chain, so it must not look like the verdict. */
export const isLeadOnly = ({ incident }: IncidentView): boolean =>
  incident.causal_chain.length > 1 && incident.hypotheses[0]?.event_id !== incident.causal_chain[0]?.event_id;

/** The cause in one sentence that is no more certain than its probability. */
export function causeSentence(view: IncidentView): string {
  const { hypotheses } = view.incident;
  const best = hypotheses[0];
  if (!best) return 'No cause found: nothing was recorded before the onset.';
  const tied = tiedWithFirst(hypotheses);
  if (tied.length > 0) return `Undecided between ${namedList([best, ...tied])}.`;
  if (best.type === 'insufficient_evidence') return 'Not enough evidence to name a cause.';
  const word = likelihood(best.probability);
  if (best.type === 'no_physical_cause') {
    return word === 'likely' ? 'No physical cause found.' : 'Probably no physical cause, but this is uncertain.';
  }
  const what = causeText(best);
  const when = whenText(view, best);
  if (word === 'likely') return `Most likely cause: ${what}${when}.`;
  if (word === 'undecided') return `Possible cause, uncertain: ${what}${when}.`;
  return `No clear cause; the best hypothesis is ${what}${when}.`;
}

/** `voltage sag on PDU-B`. */
function causeText(hypothesis: Hypothesis): string {
  const { type } = hypothesis;
  if (type === 'no_physical_cause') return 'no physical cause';
  if (type === 'insufficient_evidence') return 'not enough evidence';
  return `${readableType(type)} on ${subjectName(hypothesis) || 'an unknown device'}`;
}

function whenText(view: IncidentView, { type, subject }: Hypothesis): string {
  const step = view.steps.find((each) => each.type === type && each.device === subject?.id);
  return step ? `, ${beforeOnset(Number(view.onset_ns - step.time_ns))}` : '';
}

function namedList(hypotheses: readonly Hypothesis[]): string {
  const texts = hypotheses.slice(0, MOST_NAMED).map(causeText);
  const more = hypotheses.length - texts.length;
  if (more > 0) return `${texts.join(', ')} and ${more} more`;
  return `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}
const MOST_NAMED = 3;

/** The heading above the chain. */
export interface Headline {
  readonly title: string;
  /** What was judged by a person and why, or what was computed where a person judged otherwise; '' without a judgement. */
  readonly context: string;
  /** What the probability beside it is of; null where no figure belongs there. */
  readonly hypothesis: Hypothesis | null;
}

/** The investigator's judgement, if there is one, with the computed verdict below it; else the computed verdict. */
export function headlineOf(view: IncidentView, verdict: JudgedVerdict): Headline {
  const { confirmed, computed, leading, ruledOut, undecided, isOverruled } = verdict;
  const figureOf = (one: Hypothesis | null): Hypothesis | null => (one?.type === 'insufficient_evidence' ? null : one);
  if (confirmed) {
    const title = `Confirmed cause: ${causeText(confirmed.hypothesis)}${whenText(view, confirmed.hypothesis)}.`;
    const context = [reasonText(confirmed.reason), isOverruled ? `Computed: ${causeSentence(view)}` : ''];
    return { title, context: context.filter(Boolean).join(' '), hypothesis: figureOf(confirmed.hypothesis) };
  }
  const first = ruledOut.find(({ hypothesis }) => hypothesis === computed);
  if (!isOverruled || !first) return { title: causeSentence(view), context: '', hypothesis: figureOf(computed) };
  const left =
    undecided.length > 0
      ? `Undecided between ${namedList(undecided)}.`
      : `Next: ${leading ? causeText(leading) : 'unknown'}.`;
  const next = leading ? `No confirmed cause. ${left}` : 'No hypothesis is left.';
  const title = `Ruled out: ${causeText(first.hypothesis)}. ${next}`;
  const was = `Computed probability of what was ruled out: ${formatProbability(first.hypothesis.probability)}.`;
  return { title, context: [reasonText(first.reason), was].filter(Boolean).join(' '), hypothesis: figureOf(leading) };
}

const reasonText = (reason: string): string => (reason === '' ? '' : `Reason: ${reason.replace(/[.\s]+$/, '')}.`);

const HARDLY_NS = 5e7;

/** A cause after its effect comes from a late record or a wrong clock, so the sentence must make that visible. */
function beforeOnset(aheadNs: number): string {
  // Shown as 0.0 s.
  if (Math.abs(aheadNs) < HARDLY_NS) return 'at the onset';
  const length = formatOffset(Math.abs(aheadNs)).slice(1);
  return aheadNs >= 0 ? `${length} before the onset` : `although recorded ${length} after the onset`;
}

/** A single bad measurement lasted at most since the last good one; what no good one follows lasted longer than was measured. */
function lasted({ onset_ns, onset_earliest_ns, end_ns, recovered_ns }: IncidentView): string {
  const least = recovered_ns === null ? 'at least ' : '';
  if (end_ns > onset_ns) return `for ${least}${formatDuration(Number(end_ns - onset_ns))}`;
  if (recovered_ns === null) return 'in its last measurement';
  const most = Number(end_ns - onset_earliest_ns);
  return most > 0 ? `for up to ${formatDuration(most)}` : 'in one measurement';
}

/** The onset was not recorded. Do not guess it from the chart. */
function unknownOnset({ onset_ns, onset_earliest_ns, previous_ns }: IncidentView): string {
  if (previous_ns === onset_ns) return ' The onset is unknown: the first measurement is already degraded.';
  if (previous_ns === onset_earliest_ns) return '';
  return ` The onset is unknown: nothing was measured in the ${formatDuration(Number(onset_ns - previous_ns))} before.`;
}

const rateText = (rate: number, work: Work): string =>
  formatValue(rate, work === 'requests' ? 'rps' : throughputUnit(work)(formatNumber(rate)));

/** If only errors rose, showing an unchanged latency would distract from them. */
const MIN_RATIO = 1.1;

/** Long requests in seconds: five digits of milliseconds are hard to read, and wider than a column of the narrow panel. */
const latencyUnit = ({ peak }: ImpactLatency): readonly ['ms' | 's', number] =>
  (peak ?? 0) >= 10_000 ? ['s', 1000] : ['ms', 1];

/** The effect on users, in one sentence. */
export function impactSentence(view: IncidentView): string {
  const { impact, harm, work, went_on } = view.incident;
  if (!isMeasuredHarm(harm)) return harmSentence(view, harmText({ harm, work, went_on }));
  const { slowed_times } = view.incident;
  const parts: string[] = slowed_times === null ? [] : [slowedText(slowed_times)];
  const latency = latencyOf(impact);
  if (latency.baseline !== null && latency.peak !== null && latency.peak > latency.baseline * MIN_RATIO) {
    const [unit, size] = latencyUnit(latency);
    const from = `${latency.name.toLowerCase()} ${formatNumber(latency.baseline / size)}`;
    parts.push(`${from} → ${formatValue(latency.peak / size, unit)}${times(latency)}`);
  }
  if (
    impact.error_rate_peak_percent !== null &&
    impact.error_rate_peak_percent > (impact.error_rate_baseline_percent ?? 0)
  ) {
    parts.push(
      `errors ${percent(impact.error_rate_baseline_percent)} → ${percent(impact.error_rate_peak_percent)} % at worst`,
    );
  }
  if (
    impact.throughput_baseline_rps !== null &&
    impact.throughput_peak_rps !== null &&
    (changeOf(impact.throughput_baseline_rps, impact.throughput_peak_rps) ?? 0) < -10
  ) {
    parts.push(
      `throughput ${formatNumber(impact.throughput_baseline_rps)} → ${rateText(impact.throughput_peak_rps, work)}`,
    );
  }
  const partsText = parts.length > 0 ? `: ${parts.join(', ')}` : '';
  return `${impactedText(view.incident)} was ${harm} ${lasted(view)}${partsText}.${unknownOnset(view)}`;
}

/** The end of a stall is not known: a record that shows it would end it. */
function harmSentence(view: IncidentView, happened: string): string {
  const { service, onset_ns, end_ns } = view;
  const { impact, work, harm, went_on } = view.incident;
  const before = impact.throughput_baseline_rps;
  const rate = before === null ? '' : ` It had completed ${rateText(before, work)} before.`;
  const length = formatDuration(Number(end_ns - onset_ns));
  const isStall = harm === 'stalled' && end_ns > onset_ns;
  const since = isStall ? ` It ${went_on ? `lasted ${length}` : `lasts at least ${length}`}.` : '';
  return `${service} ${happened}.${since}${rate}`;
}

const percent = (value: number | null): string => (value === null ? 'unknown' : percentText(value));
const knownPercent = (value: number | null): string => (value === null ? 'unknown' : `${percentText(value)} %`);

/** Uses the recorded change: latencies are rounded to tenths of a millisecond, too coarse to divide. */
function times({ change_percent: change }: ImpactLatency): string {
  return change === null ? '' : ` (× ${(1 + change / 100).toFixed(1)})`;
}

export interface ImpactRow {
  readonly name: string;
  readonly baseline: string;
  readonly first: string;
  readonly peak: string;
  readonly change: string;
}

const known = (value: number | null, unit: string): string => (value === null ? 'unknown' : formatValue(value, unit));
const change = (value: number | null): string =>
  value === null ? '' : `${value > 0 ? '+' : ''}${formatNumber(Math.round(value))} %`;

const changeOf = (before: number | null, after: number | null): number | null =>
  before === null || after === null || before === 0 ? null : (100 * (after - before)) / before;

/** Of two percentages, in percentage points. */
const points = (before: number | null, after: number | null): string =>
  before === null || after === null ? '' : `${after > before ? '+' : ''}${Number((after - before).toPrecision(2))} pp`;

/** Latency, errors, throughput; a row without data is left out, not shown as zero. */
export function impactRows({ impact, work }: Pick<Incident, 'impact' | 'work'>): readonly ImpactRow[] {
  // In the narrow panel there is no room for a long unit: the name of the row states what is counted.
  const rate = work === 'requests' ? 'rps' : '1/s';
  const latency = latencyOf(impact);
  const [unit, size] = latencyUnit(latency);
  const time = (ms: number | null): string => known(ms === null ? null : ms / size, unit);
  const [usualErrors, worstErrors] = [impact.error_rate_baseline_percent, impact.error_rate_peak_percent];
  const rows: ImpactRow[] = [
    {
      name: impact.mean ? latency.name.toLowerCase() : 'p99 latency',
      baseline: time(latency.baseline),
      first: time(latency.first),
      peak: time(latency.peak),
      change: change(latency.change_percent),
    },
    {
      name: 'error rate',
      baseline: knownPercent(impact.error_rate_baseline_percent),
      first: knownPercent(impact.error_rate_first_anomaly_percent),
      peak: knownPercent(impact.error_rate_peak_percent),
      change: points(usualErrors, worstErrors),
    },
    {
      name: work === 'requests' ? 'throughput' : work,
      baseline: known(impact.throughput_baseline_rps, rate),
      first: known(impact.throughput_first_anomaly_rps, rate),
      peak: known(impact.throughput_peak_rps, rate),
      // As for latency: from the baseline to the peak, not to the first anomaly.
      change: change(changeOf(impact.throughput_baseline_rps, impact.throughput_peak_rps)),
    },
  ];
  return rows.filter((row) => row.baseline !== 'unknown' || row.peak !== 'unknown' || row.first !== 'unknown');
}
