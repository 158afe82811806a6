import { latencyOf } from '../../../model/incident/impact-latency.ts';
import { type Impact, throughputUnit, type Work } from '../../../model/incident/incident.ts';
import { percentText } from '../../../model/incident/percent-text.ts';
import type { Unit } from '../../report/report-text.ts';

interface Change {
  readonly name: string;
  readonly unit: Unit;
  readonly before: number | null;
  readonly first: number | null;
  readonly worst: number | null;
  readonly isWorse: (value: number, before: number) => boolean;
}

const higher = (value: number, before: number): boolean => value > before;
const lower = (value: number, before: number): boolean => value < before;

const changesOf = (impact: Impact, work: Work): readonly Change[] => [
  {
    ...{ name: impact.mean ? latencyOf(impact).name.toLowerCase() : 'P99', unit: 'ms', isWorse: higher },
    before: latencyOf(impact).baseline,
    first: latencyOf(impact).first,
    worst: latencyOf(impact).peak,
  },
  {
    ...{ name: 'errors', unit: '%', isWorse: higher },
    before: impact.error_rate_baseline_percent,
    first: impact.error_rate_first_anomaly_percent,
    worst: impact.error_rate_peak_percent,
  },
  {
    ...{ name: 'throughput', unit: throughputUnit(work), isWorse: lower },
    before: impact.throughput_baseline_rps,
    first: impact.throughput_first_anomaly_rps,
    worst: impact.throughput_peak_rps,
  },
];

const changeText = (before: number, value: number, unit: Unit): string =>
  unit === '%'
    ? `${percentText(before)} to ${percentText(value)} %`
    : `${before} to ${value} ${typeof unit === 'string' ? unit : unit(value)}`;

/** What got worse of a service at its first anomaly; where that shows in other quantiles only, what got worse later. */
export function onsetText(impact: Impact, work: Work): string {
  const changes = changesOf(impact, work);
  const worse = (pick: 'first' | 'worst'): string[] =>
    changes.flatMap(({ name, unit, before, isWorse, [pick]: value }) =>
      before !== null && value !== null && isWorse(value, before) ? [`${name} ${changeText(before, value, unit)}`] : [],
    );
  const [atOnset, later] = [worse('first'), worse('worst')];
  if (atOnset.length > 0) return atOnset.join(', ');
  return later.length > 0 ? `later ${later.join(', ')}` : 'its typical requests took longer';
}
