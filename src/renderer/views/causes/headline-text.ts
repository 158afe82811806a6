import type { IncidentView } from '../../../model/contract/index.ts';
import {
  type Hypothesis,
  harmTexts,
  type Impact,
  type Incident,
  impactedText,
  isMeasuredHarm,
  slowedText,
  throughputUnits,
  type Work,
} from '../../../model/incident/incident.ts';
import { formatDuration, formatOffset } from '../../draw/text/format-time.ts';
import { formatNumber, formatValue, likelihood, readableType } from '../../draw/text/format-value.ts';

export const subjectOf = (hypothesis: Hypothesis): string => {
  if (hypothesis.type === 'no_physical_cause') return 'No physical cause';
  if (hypothesis.type === 'insufficient_evidence') return 'Not enough evidence';
  return hypothesis.subject?.id ?? 'unknown';
};

/** The evidence does not favour the event at the start of the chain, so it must not look like the verdict. */
export const isLeadOnly = ({ incident }: IncidentView): boolean =>
  incident.causal_chain.length > 1 && incident.hypotheses[0]?.event_id !== incident.causal_chain[0]?.event_id;

/** The cause in one sentence that is no more certain than its probability. */
export function causeSentence(view: IncidentView): string {
  const best = view.incident.hypotheses[0];
  if (!best) return 'No cause found: nothing was recorded before the onset.';
  if (best.type === 'insufficient_evidence') return 'Not enough evidence to name a cause.';
  const word = likelihood(best.probability);
  if (best.type === 'no_physical_cause') {
    return word === 'likely' ? 'No physical cause found.' : 'Probably no physical cause, but this is uncertain.';
  }
  const what = `${readableType(best.type)} on ${best.subject?.id ?? 'an unknown device'}`;
  const step = view.steps.find((each) => each.type === best.type && each.device === best.subject?.id);
  const when = step ? `, ${beforeOnset(Number(view.onset_ns - step.time_ns))}` : '';
  if (word === 'likely') return `Most likely cause: ${what}${when}.`;
  if (word === 'undecided') return `Possible cause, uncertain: ${what}${when}.`;
  return `No clear cause; the best hypothesis is ${what}${when}.`;
}

/** A cause after its effect comes from a late record or a wrong clock, so the sentence must make that visible. */
function beforeOnset(aheadNs: number): string {
  const length = formatOffset(Math.abs(aheadNs)).slice(1);
  return aheadNs >= 0 ? `${length} before the onset` : `although recorded ${length} after the onset`;
}

/** A single bad measurement lasted at most since the last good one. */
function lasted({ onset_ns, onset_earliest_ns, end_ns }: IncidentView): string {
  if (end_ns > onset_ns) return `for ${formatDuration(Number(end_ns - onset_ns))}`;
  const most = Number(end_ns - onset_earliest_ns);
  return most > 0 ? `for up to ${formatDuration(most)}` : 'in one measurement';
}

/** The onset was not recorded. Do not guess it from the chart. */
function unknownOnset({ onset_ns, onset_earliest_ns, previous_ns }: IncidentView): string {
  if (previous_ns === onset_ns) return ' The onset is unknown: the first measurement is already degraded.';
  if (previous_ns === onset_earliest_ns) return '';
  return ` The onset is unknown: nothing was measured in the ${formatDuration(Number(onset_ns - previous_ns))} before.`;
}

const unitOf = (work: Work): string => (work === 'requests' ? 'rps' : throughputUnits[work]);

/** If only errors rose, showing an unchanged latency would distract from them. */
const MIN_RATIO = 1.1;

/** The effect on users, in one sentence. */
export function impactSentence(view: IncidentView): string {
  const { impact, harm, work } = view.incident;
  if (!isMeasuredHarm(harm)) return harmSentence(view, harmTexts[harm]);
  const { slowed_times } = view.incident;
  const parts: string[] = slowed_times === null ? [] : [slowedText(slowed_times)];
  if (
    impact.p99_baseline_ms !== null &&
    impact.p99_peak_ms !== null &&
    impact.p99_peak_ms > impact.p99_baseline_ms * MIN_RATIO
  ) {
    parts.push(
      `p99 ${formatNumber(impact.p99_baseline_ms)} → ${formatValue(impact.p99_peak_ms, 'ms')}${times(impact)}`,
    );
  }
  if (
    impact.error_rate_peak_percent !== null &&
    impact.error_rate_peak_percent > (impact.error_rate_baseline_percent ?? 0)
  ) {
    parts.push(`errors ${percent(impact.error_rate_baseline_percent)} → ${percent(impact.error_rate_peak_percent)} %`);
  }
  if (
    impact.throughput_baseline_rps !== null &&
    impact.throughput_first_anomaly_rps !== null &&
    (impact.throughput_first_change_percent ?? 0) < -10
  ) {
    parts.push(
      `throughput ${formatNumber(impact.throughput_baseline_rps)} → ${formatValue(impact.throughput_first_anomaly_rps, unitOf(work))}`,
    );
  }
  const partsText = parts.length > 0 ? `: ${parts.join(', ')}` : '';
  return `${impactedText(view.incident)} was ${harm} ${lasted(view)}${partsText}.${unknownOnset(view)}`;
}

/** The end of a stall is not known: a record that shows it would end it. */
function harmSentence(view: IncidentView, happened: string): string {
  const { service, onset_ns, end_ns } = view;
  const { impact, work, harm } = view.incident;
  const before = impact.throughput_baseline_rps;
  const rate = before === null ? '' : ` It had completed ${formatValue(before, unitOf(work))} before.`;
  const isOpen = harm === 'stalled' && end_ns > onset_ns;
  const since = isOpen ? ` It lasts at least ${formatDuration(Number(end_ns - onset_ns))}.` : '';
  return `${service} ${happened}.${since}${rate}`;
}

const percent = (value: number | null): string => (value === null ? 'unknown' : formatNumber(value));

/** Uses the recorded change: latencies are rounded to tenths of a millisecond, too coarse to divide. */
function times({ p99_change_percent: change }: Impact): string {
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

/** Latency, errors, throughput; a row without data is left out, not shown as zero. */
export function impactRows({ impact, work }: Pick<Incident, 'impact' | 'work'>): readonly ImpactRow[] {
  const rows: ImpactRow[] = [
    {
      name: 'p99 latency',
      baseline: known(impact.p99_baseline_ms, 'ms'),
      first: known(impact.p99_first_anomaly_ms, 'ms'),
      peak: known(impact.p99_peak_ms, 'ms'),
      change: change(impact.p99_change_percent),
    },
    {
      name: 'error rate',
      baseline: known(impact.error_rate_baseline_percent, '%'),
      first: known(impact.error_rate_first_anomaly_percent, '%'),
      peak: known(impact.error_rate_peak_percent, '%'),
      change: '',
    },
    {
      // In the narrow panel there is no room for a long unit.
      name: work === 'requests' ? 'throughput' : work,
      baseline: known(impact.throughput_baseline_rps, 'rps'),
      first: known(impact.throughput_first_anomaly_rps, 'rps'),
      peak: known(impact.throughput_peak_rps, 'rps'),
      // As for latency: from the baseline to the peak, not to the first anomaly.
      change: change(changeOf(impact.throughput_baseline_rps, impact.throughput_peak_rps)),
    },
  ];
  return rows.filter((row) => row.baseline !== 'unknown' || row.peak !== 'unknown' || row.first !== 'unknown');
}
