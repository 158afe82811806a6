import { requestsText } from '../../../model/incident/affected-requests.ts';
import { shortList } from '../../../model/incident/chain-folds.ts';
import { latencyOf } from '../../../model/incident/impact-latency.ts';
import { impactedText, throughputUnit } from '../../../model/incident/incident.ts';
import type { ReportBlock } from '../../../model/incident/report-document.ts';
import { fact, sentences, table } from '../facts.ts';
import type { IncidentFacts } from '../report-input.ts';
import { clockText, figure, probabilityText, type Unit } from '../report-text.ts';
import { impactRefs, incidentRef, lasted } from './summary.ts';

/** More citations than a reader opens. */
const MOST_REFS = 5;

/** What the impacts of one incident have in common, in a sentence; none for an impact by itself. */
export function alsoDegraded(members: readonly IncidentFacts[]): ReportBlock[] {
  if (members.length < 2) return [];
  const [first, ...others] = members.map(({ view }) => view);
  const names = others.map(({ incident }) => impactedText(incident));
  const text = `The same cause is named for ${names.length} more: ${shortList(names)}. They are one incident; the sections below follow ${impactedText(first!.incident)}.`;
  const refs = members.map(({ view }) => incidentRef(view)).slice(0, MOST_REFS);
  return [sentences(fact(text, refs), ...allRequests(members).map((one) => fact(one, refs)))];
}

/** The sum is no number of requests of users: the reader has to know what it counts. */
function allRequests(members: readonly IncidentFacts[]): string[] {
  const counted = members.flatMap(({ requests }) => (requests?.failed != null ? [requests] : []));
  if (counted.length < members.length) return [];
  const sum = (of: 'total' | 'failed'): number => counted.reduce((all, one) => all + (one[of] ?? 0), 0);
  const all = requestsText({ total: sum('total'), failed: sum('failed'), slow: null, slow_above_ms: null });
  return [`Added up, they had about ${all}; a request that passes several of them counts in each.`];
}

/** A figure in front of one with the same unit, which is stated once. */
function bare(figureText: string, other: string): string {
  const at = figureText.indexOf(' ');
  const unit = figureText.slice(at);
  return at > 0 && other.endsWith(unit) ? figureText.slice(0, -unit.length) : figureText;
}

/** One line for each impact of an incident. */
export function affectedTable(members: readonly IncidentFacts[]): ReportBlock[] {
  if (members.length < 2) return [];
  const change = (from: number | null, to: number | null, unit: Unit): string =>
    from === null && to === null ? 'unknown' : `${bare(figure(from, unit), figure(to, unit))} to ${figure(to, unit)}`;
  const rows = members.map(({ view, recovered, verdict: { leading } }) => {
    const { impact, work } = view.incident;
    const latency = latencyOf(impact);
    return {
      cells: [
        impactedText(view.incident),
        clockText(view.onset_ns),
        lasted({ view, recovered }),
        recovered ? clockText(recovered.time_ns) : 'not recorded',
        impact.mean
          ? `${change(latency.baseline, latency.peak, 'ms')} (${latency.name.toLowerCase()})`
          : change(latency.baseline, latency.peak, 'ms'),
        change(impact.error_rate_baseline_percent, impact.error_rate_peak_percent, '%'),
        change(impact.throughput_baseline_rps, impact.throughput_peak_rps, throughputUnit(work)),
        leading ? probabilityText(leading.probability) : 'unknown',
      ],
      refs: impactRefs(view).slice(0, MOST_REFS),
    };
  });
  const head = ['Service', 'Onset (UTC)', 'Duration', 'Recovered', 'P99', 'Errors', 'Throughput', 'This cause'];
  return [table(head, rows)];
}
