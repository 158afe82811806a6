import type { IncidentView } from '../../../model/contract/index.ts';
import { rangeText } from '../../../model/incident/cost.ts';
import type { Fact, ReportBlock } from '../../../model/incident/report-document.ts';
import { unseenOnsetText } from '../../../model/incident/unseen-onset.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { fact, sentences } from '../facts.ts';
import type { IncidentFacts } from '../report-input.ts';
import { countText, durationText, figure, hoursText, hypothesisText, probabilityText } from '../report-text.ts';

type Figure = keyof IncidentView['worst_refs'];

/** What was measured at first and at the worst of these figures; what was normal before, the incident itself tells. */
export const impactRefs = (
  view: IncidentView,
  figures: readonly Figure[] = ['p99', 'error_rate', 'throughput'],
): string[] => {
  const worst = figures.flatMap((figure) => view.worst_refs[figure] ?? []);
  return [...new Set([view.onset_ref, ...worst, incidentRef(view)])];
};
export const incidentRef = ({ incident }: IncidentView): string => `incident:${incident.id}`;

/** Three sentences: what suffered, why, and what it took. */
export const summaryBlocks = (facts: IncidentFacts): ReportBlock[] => [
  sentences(whatSuffered(facts.view), rootCause(facts), whatItTook(facts)),
];

function whatSuffered(view: IncidentView): Fact {
  const when = `from ${formatUtc(nanos(view.onset_ns))} to ${formatUtc(nanos(view.end_ns))} (${lasted(view)})`;
  const unseen = unseenOnsetText(view.service, view);
  const before = unseen ? ` When it began is unknown: ${unseen}.` : '';
  const worse = whatGotWorse(view);
  const clauses = worse.map(({ text }) => text).join(', ') || 'its figures left their baseline';
  const refs = impactRefs(
    view,
    worse.map(({ figure: one }) => one),
  );
  return fact(`${view.service} degraded ${when}: ${clauses}.${before}`, refs);
}

export function rootCause({ view }: IncidentFacts): Fact {
  const [best] = view.incident.hypotheses;
  if (!best) return fact('Root cause: unknown.', [incidentRef(view)]);
  const lastEventStep = view.steps.find(({ ref, time_ns }) => ref.startsWith('event:') && time_ns <= view.onset_ns);
  const own = best.evidence.flatMap(({ refs }) => refs).find((ref) => ref.startsWith('event:'));
  const chainBegins = best.event_id !== null && best.event_id === view.incident.causal_chain[0]?.event_id;
  const ref = (chainBegins ? lastEventStep?.ref : own) ?? incidentRef(view);
  const probability = probabilityText(best.probability);
  return best.subject && best.subject.kind !== 'service'
    ? fact(`Most probable root cause: ${hypothesisText(best)}, probability ${probability}.`, [ref])
    : fact(
        `No physical root cause is claimed: "${hypothesisText(best)}" is the most probable reading, ${probability}.`,
        [ref],
      );
}

function whatItTook({ view, gpus, cost, recovered }: IncidentFacts): Fact {
  const { total_gpu_hours: hours } = cost;
  const took =
    hours === null
      ? 'How many GPUs it touched is unknown'
      : `It ran on ${countText(gpus.length, 'GPU')} meanwhile (${hoursText(hours)}, cost ${rangeText(cost.total, cost.currency)})`;
  const after = recovered
    ? `${view.service} measured normal again at ${formatUtc(nanos(recovered.time_ns))}`
    : 'when it recovered was not recorded';
  return fact(`${took}; ${after}.`, [incidentRef(view), ...(recovered ? [recovered.ref] : [])]);
}

/** A single bad measurement lasted at most since the good one before it. */
export function lasted({ onset_ns, onset_earliest_ns, end_ns }: IncidentView): string {
  if (end_ns > onset_ns) return durationText(Number(end_ns - onset_ns) / 1e9);
  const most = Number(end_ns - onset_earliest_ns) / 1e9;
  return most > 0 ? `up to ${durationText(most)}` : 'one measurement';
}

/** Only the figures that did get worse. */
function whatGotWorse({ incident: { impact } }: IncidentView): { figure: Figure; text: string }[] {
  const clauses: { figure: Figure; text: string }[] = [];
  const { p99_baseline_ms, p99_peak_ms, error_rate_baseline_percent, error_rate_peak_percent } = impact;
  const { throughput_baseline_rps, throughput_peak_rps } = impact;
  if (p99_peak_ms !== null && p99_peak_ms > (p99_baseline_ms ?? 0)) {
    const text = `P99 rose from ${figure(p99_baseline_ms, 'ms')} to ${figure(p99_peak_ms, 'ms')}`;
    clauses.push({ figure: 'p99', text });
  }
  if (error_rate_peak_percent !== null && error_rate_peak_percent > (error_rate_baseline_percent ?? 0)) {
    const text = `errors rose from ${figure(error_rate_baseline_percent, '%')} to ${figure(error_rate_peak_percent, '%')}`;
    clauses.push({ figure: 'error_rate', text });
  }
  if (throughput_peak_rps !== null && throughput_baseline_rps !== null && throughput_peak_rps < throughput_baseline_rps)
    clauses.push({
      figure: 'throughput',
      text: `throughput fell from ${throughput_baseline_rps} to ${throughput_peak_rps} req/s`,
    });
  return clauses;
}
