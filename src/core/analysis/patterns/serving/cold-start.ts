import type { ServingRule } from '../../serving/condition.ts';
import { meanIn, refsOf, runsUnlikeBefore, usualBefore } from '../../serving/runs.ts';
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
    const isSlow = (took: number, than: number): boolean => took >= servingPatterns.coldStartTimes * than;
    return runsUnlikeBefore(durations, series, 0, isSlow, { leastReadings: 1 }).flatMap((run) => {
      const began = run.slices.reduce((sum, slice) => sum + (starts.get(slice) ?? 0), 0);
      if (began === 0) return [];
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
          figures: { rule: 'cold-start', starts: began, took, took_before: before },
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
