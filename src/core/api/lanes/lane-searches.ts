import type { Lane, LaneData } from '../../../model/contract/index.ts';
import type { AnnotationOf } from '../../../model/incident/annotation.ts';
import { QUERIES } from '../../../model/lane-kind.ts';
import { ProblemError } from '../../../model/problem.ts';
import { metricOf } from '../traces/trace-metric.ts';
import { inTime, versionOf } from './lane-queries.ts';
import type { LaneTargetOf, Reading, Wanted } from './lane-target.ts';

export interface SearchLane {
  readonly lane: Lane;
  readonly target: LaneTargetOf<'search'>;
}

/** The lane of a metric of spans that the investigator added; its values are bound, so that one that came with a case runs, too. */
export function searchLane({ id, text, query, labels, unit }: AnnotationOf<'search'>): SearchLane {
  const lane: Lane = {
    id: `search:${id}:${versionOf(`${query}\n${JSON.stringify(labels)}`)}`,
    kind: 'metric',
    layer: QUERIES,
    entity_kind: 'query',
    entity_id: text,
    within: [],
    sources: [],
    metric: 'spans',
    unit,
    count: 0,
    worst_severity: null,
    involved: null,
  };
  return { lane, target: { kind: 'search', query, labels } };
}

/** One series of each metric, over the time and in the buckets of the timeline. */
export async function readSearches(
  wanted: readonly Wanted<'search'>[],
  { session, input, answer, signal }: Reading,
): Promise<void> {
  for (const { lane, target } of wanted) {
    try {
      answer(lane, await inTime(signal, (own) => seriesOf(lane, target, { session, input, signal: own })));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      answer(lane, { kind: 'broken', lane, message: error.message });
    }
  }
}

async function seriesOf(
  lane: string,
  { query, labels }: LaneTargetOf<'search'>,
  {
    session,
    input: { start_ns, end_ns, buckets },
    signal,
  }: Pick<Reading, 'session' | 'input'> & { signal: AbortSignal },
): Promise<LaneData> {
  const { series, isCounted } = await metricOf(session, { query, start_ns, end_ns, buckets }, signal);
  const key = JSON.stringify(labels);
  const found = series.find((one) => JSON.stringify(one.labels) === key);
  const column = (): Float64Array<ArrayBuffer> =>
    Float64Array.from({ length: buckets }, (_, at) => found?.values[at] ?? (isCounted ? 0 : Number.NaN));
  return { kind: 'metric', lane, min: column(), max: column(), last: column() };
}
