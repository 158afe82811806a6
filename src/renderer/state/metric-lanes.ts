import type { TraceMetric } from '../../model/contract/index.ts';
import type { Annotation, AnnotationOf } from '../../model/incident/annotation.ts';
import { annotate, freshAnnotation } from './annotations.ts';
import { messages } from './messages.ts';

export type MetricLane = AnnotationOf<'search'>;

export const metricLanes = (list: readonly Annotation[]): readonly MetricLane[] =>
  list.filter((one) => one.kind === 'search');

interface Drawn {
  readonly query: string;
  readonly series: TraceMetric['series'][number];
  readonly unit: string;
  readonly name: string;
}

/** The lane that draws a series of a metric; undefined: none does. */
export const laneOfSeries = (list: readonly Annotation[], { query, series }: Pick<Drawn, 'query' | 'series'>) =>
  metricLanes(list).find((one) => one.query === query && JSON.stringify(one.labels) === JSON.stringify(series.labels));

export async function addMetricLane({ query, series, unit, name }: Drawn): Promise<void> {
  const lane: MetricLane = { kind: 'search', ...freshAnnotation(name), query, labels: [...series.labels], unit };
  await annotate(messages.laneAdded(name), { put: [lane] });
}

export async function removeMetricLane({ id, text }: MetricLane): Promise<void> {
  await annotate(messages.laneRemoved(text), { remove: [id] });
}
