import { visibleLine } from '../../base/visible-text.ts';
import { foldChain, shortList } from '../../model/incident/chain-folds.ts';
import { type Cost, rangeText } from '../../model/incident/cost.ts';
import { latencyOf } from '../../model/incident/impact-latency.ts';
import {
  harmText,
  impactedText,
  impactTypes,
  isMeasuredHarm,
  type Report,
  slowedText,
  throughputUnit,
} from '../../model/incident/incident.ts';
import { bySharedCause } from '../../model/incident/shared-causes.ts';
import { withTied } from '../../model/incident/tied-hypotheses.ts';
import {
  durationText,
  figure,
  hypothesisText,
  linkText,
  probabilityText,
  typeText,
  type Unit,
  undecidedText,
  weightText,
} from './report-text.ts';

/** Work that stalled or ended has no latency to speak of, and part of the requests no throughput. */
function figureLines({
  impact,
  harm,
  slowed_times,
  went_on,
  work,
  affected_parts,
}: Report['incidents'][number]): string[] {
  const line = (name: string, unit: Unit, [baseline, first, worst]: readonly (number | null)[]): string =>
    `  ${name} ${figure(baseline ?? null, unit)} -> ${figure(first ?? null, unit)} (worst ${figure(worst ?? null, unit)})`;
  const throughput = line('throughput', throughputUnit(work), [
    impact.throughput_baseline_rps,
    impact.throughput_first_anomaly_rps,
    impact.throughput_peak_rps,
  ]);
  if (!isMeasuredHarm(harm)) return [`  ${harmText({ harm, work, went_on })}`, throughput];
  const latency = latencyOf(impact);
  return [
    ...(slowed_times === null ? [] : [`  ${slowedText(slowed_times)}`]),
    line(latency.name, 'ms', [latency.baseline, latency.first, latency.peak]),
    line('errors', '%', [
      impact.error_rate_baseline_percent,
      impact.error_rate_first_anomaly_percent,
      impact.error_rate_peak_percent,
    ]),
    ...(affected_parts.length > 0 ? [] : [throughput]),
  ];
}

/** `correlate --output timeline`: the incident for a terminal. */
export function renderTimeline(
  report: Report,
  costs: readonly { readonly incident: string; readonly cost: Cost }[] = [],
): string {
  if (report.incidents.length === 0) {
    return [
      'No incident found: no service or job took longer, failed more often or did less than its own baseline shows. What else was recorded is judged by the patterns.',
      ...report.warnings.map((warning) => `warning: ${visibleLine(warning)}`),
      '',
    ].join('\n');
  }
  return report.incidents
    .map((incident) => {
      const { impact } = incident;
      const places = new Map(incident.causal_chain.map(({ event_id }, at) => [event_id, at]));
      const causes = incident.causal_chain.map(({ type, caused_by }) => ({
        type,
        cause: places.get(caused_by ?? '') ?? null,
      }));
      const steps = foldChain(causes).map(({ first, others }) => {
        const step = incident.causal_chain[first]!;
        const also = others.length === 0 ? '' : `  and ${others.length} more`;
        const marks = [
          step.caused_by === null ? '' : linkText(step.probability),
          step.indirect_causality ? 'indirect' : '',
        ]
          .filter(Boolean)
          .join(' ');
        const arrow = step.caused_by === null ? '  ' : '->';
        const type = step.type === 'trace_degradation' ? impactTypes[incident.harm] : step.type;
        return `  ${step.timestamp}  ${arrow} ${typeText(type).padEnd(20)} ${(step.name ?? step.device_id).padEnd(28)} ${marks}${also}`.trimEnd();
      });
      const lines = [
        `${incident.id}  ${impactedText(incident)}  ${incident.window_start} to ${incident.window_end}  ${durationText(incident.duration_seconds)}`,
        ...figureLines(incident),
        ...(impact.estimated_cost_impact_usd === null ? [] : [`  cost ${impact.estimated_cost_impact_usd} USD`]),
        ...costs
          .filter((one) => one.incident === incident.id)
          .flatMap(({ cost: { total, currency, per_request } }) => [
            `  cost of the GPUs ${rangeText(total, currency)}`,
            `  cost of a request ${rangeText(per_request.normal.cost, currency)} -> ${rangeText(per_request.worst.cost, currency)} (worst)`,
          ]),
        '',
        ...steps,
        '',
        '  hypotheses',
        ...(withTied(incident.hypotheses).length > 0 ? [`  ${undecidedText(withTied(incident.hypotheses))}`] : []),
        ...incident.hypotheses
          .slice(0, 5)
          .flatMap((hypothesis) => [
            `  ${hypothesis.rank}. ${probabilityText(hypothesis.probability).padEnd(18)} ${hypothesisText(hypothesis)}`,
            ...(hypothesis.rank === 1
              ? hypothesis.evidence.map((line) => `       ${weightText(line, 2)}  ${line.text}`)
              : []),
          ]),
        ...incident.warnings.map((warning) => `  warning: ${warning}`),
        '',
      ];
      return lines.map(visibleLine).join('\n');
    })
    .concat(sharedCauses(report))
    .concat(report.warnings.map((warning) => `warning: ${visibleLine(warning)}\n`))
    .join('\n');
}

/** Which incidents have one cause. */
const sharedCauses = ({ incidents }: Report): string[] =>
  bySharedCause(incidents.map((incident) => ({ incident, leading: incident.hypotheses[0] ?? null }))).flatMap(
    ({ cause, members }) =>
      cause === null
        ? []
        : [
            `${visibleLine(`one cause, ${hypothesisText(cause)}: ${shortList(members.map(({ incident }) => `${impactedText(incident)} (${incident.id})`))}`)}\n`,
          ],
  );
