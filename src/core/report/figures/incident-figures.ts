import { impactedText } from '../../../model/incident/incident.ts';
import type { ReportFigure } from '../../../model/incident/report-document.ts';
import type { IncidentFacts } from '../report-input.ts';
import { clockText } from '../report-text.ts';
import { impactRefs } from '../sections/summary.ts';
import { type DrawnSeries, seriesFigure } from './series-figure.ts';
import { timelineFigure, timelineText } from './timeline-figure.ts';
import { topologyFigure, topologyText } from './topology-figure.ts';

/** More than a reader opens from under a picture. */
const MOST_REFS = 12;

/** What can be drawn of an incident; what nothing was recorded of is left out. */
export function incidentFigures(facts: IncidentFacts): ReportFigure[] {
  const { view, map, latency, gpuState } = facts;
  const id = (name: string): string => `${view.incident.id}-${name}`;
  const figures: ReportFigure[] = [];
  if (view.steps.length > 1) {
    const description = timelineText(view);
    const refs = [...new Set(view.steps.map(({ ref }) => ref))];
    figures.push({
      id: id('timeline'),
      title: 'The chain in time',
      description,
      refs,
      svg: timelineFigure({ id: id('timeline'), view }),
    });
  }
  if (map.nodes.length > 1) {
    const troubledBy = (time_ns: bigint): number =>
      [...map.troubled.values()].filter((since) => since <= time_ns).length;
    // The same picture twice adds nothing.
    const instants = [
      { name: 'Onset', time_ns: view.onset_ns },
      { name: 'Peak', time_ns: peakOf(facts) },
    ].filter(({ time_ns }, at) => at === 0 || troubledBy(time_ns) > troubledBy(view.onset_ns));
    const description = topologyText(map, instants);
    const refs = [...map.links.map(({ ref }) => ref), ...view.steps.map(({ ref }) => ref)].slice(0, MOST_REFS);
    figures.push({
      id: id('topology'),
      title: 'The path of the fault',
      description,
      refs,
      svg: topologyFigure({ id: id('topology'), map, instants }),
    });
  }
  for (const [name, title, series] of [
    ['latency', `How ${impactedText(view.incident)} did`, latency],
    ['gpus', 'GPUs under it', gpuState],
  ] as const) {
    if (series.length === 0) continue;
    const description = seriesText(series, facts);
    const refs = name === 'latency' ? impactRefs(view) : [...new Set(series.map((one) => one.ref))];
    const { start_ns, end_ns } = facts.shown;
    const window = { start_ns, end_ns, onset_ns: view.onset_ns, until_ns: view.end_ns };
    figures.push({
      id: id(name),
      title,
      description,
      refs,
      svg: seriesFigure({ id: id(name), title, description, series, ...window }),
    });
  }
  return figures;
}

/** The peak is named by its measurement. */
function peakOf({ view }: IncidentFacts): bigint {
  const at = Date.parse(view.peak_ref.slice(view.peak_ref.lastIndexOf('@') + 1));
  return Number.isNaN(at) ? view.onset_ns : BigInt(at) * 1_000_000n;
}

function seriesText(series: readonly DrawnSeries[], { view }: IncidentFacts): string {
  const seriesTexts = series.map(({ name: about, measure, unit, oneUnit = unit, time_ns, value }) => {
    const name = measure === undefined ? about : `${about} ${measure}`;
    const split = (isIncluded: (ns: bigint) => boolean): string => {
      const own = time_ns.flatMap((ns, at) => (isIncluded(ns) && Number.isFinite(value[at]) ? [value[at]!] : []));
      if (own.length === 0) return 'unknown';
      const [low, high] = [Math.min(...own), Math.max(...own)].map((one) => Number(one.toPrecision(3)));
      return `${low === high ? '' : `${low} to `}${high} ${high === 1 ? oneUnit : unit}`;
    };
    return `${name}: ${split((ns) => ns < view.start_ns)} before it began, ${split((ns) => ns >= view.onset_ns && ns <= view.end_ns)} during the impact`;
  });
  return `${seriesTexts.join('; ')}. Onset ${clockText(view.onset_ns)}, end ${clockText(view.end_ns)}.`;
}
