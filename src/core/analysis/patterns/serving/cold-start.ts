import type { ServingRule } from '../../serving/condition.ts';
import { meanIn, refsOf, runsWhere, totalIn, usualBefore } from '../../serving/runs.ts';
import { median } from '../../statistics.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

/** Requests wait for a cold start or the load of a model. */
export const coldStart: ServingRule = {
  id: 'cold-start',
  find: (series) => {
    const { service, model, tracks } = series;
    const durations = tracks.get('duration');
    const starts = new Map(tracks.get('cold_start')?.levels.map(({ slice, total }) => [slice, total]));
    if (!durations || starts.size === 0) return [];
    const usual = median(durations.levels.map(({ mean }) => mean));
    const isSlow = (took: number, than: number): boolean => took >= servingPatterns.coldStartTimes * than;
    return runsWhere(
      durations,
      series,
      0,
      ({ slice, mean }) => (starts.get(slice) ?? 0) > 0 && isSlow(mean, usual),
      1,
    ).flatMap((run) => {
      const took = meanIn(series, 'duration', run);
      const before = usualBefore(series, 'duration', run);
      // A recording that begins with a start has nothing to compare it with.
      if (!isSlow(took, before)) return [];
      const { start_ns, end_ns } = run;
      return [
        {
          service,
          model,
          start_ns,
          end_ns,
          figures: { rule: 'cold-start', starts: totalIn(series, 'cold_start', run), took, took_before: before },
          evidence: [{ quantity: 'cold_start', refs: refsOf(series, 'cold_start', run) }],
          missing: lacks(
            series.replicas.size > 0,
            'topology',
            'no replica is named: whether a new one or the same one started is unknown',
          ),
          isNew: true,
        },
      ];
    });
  },
};
