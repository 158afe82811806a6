import type { ServingRule } from '../../serving/condition.ts';
import { readingsIn, refsOf, runsWhere, totalIn } from '../../serving/runs.ts';
import type { Level } from '../../serving/service-series.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

/** Clients give up requests before they are answered, and their work is lost. */
export const clientCancellations: ServingRule = {
  id: 'client-cancellations',
  find: (series) => {
    const { service, model, tracks } = series;
    const requests = tracks.get('duration');
    const cancelled = tracks.get('cancelled');
    if (!requests || !cancelled) return [];
    const counts = new Map(cancelled.levels.map(({ slice, total }) => [slice, total]));
    const shareOf = (levels: readonly Level[]): number =>
      (100 * levels.reduce((sum, { slice }) => sum + (counts.get(slice) ?? 0), 0)) /
      levels.reduce((sum, { readings }) => sum + readings, 0);
    return runsWhere(
      requests,
      series,
      servingPatterns.servingLastsSeconds,
      (level) => shareOf([level]) >= servingPatterns.cancelledPercent,
    ).flatMap((run) => {
      const before = requests.levels.filter(({ slice }) => slice < run.slices[0]!);
      const usual = before.length === 0 ? Number.NaN : shareOf(before);
      const all = readingsIn(series, 'duration', run);
      const count = Math.min(all, totalIn(series, 'cancelled', run));
      const share = (100 * count) / all;
      if (count < servingPatterns.leastCancelled || !(share >= servingPatterns.cancelledTimes * usual)) return [];
      const { start_ns, end_ns } = run;
      return [
        {
          service,
          model,
          start_ns,
          end_ns,
          figures: { rule: 'client-cancellations', cancelled: count, requests: all, share, share_before: usual },
          evidence: [{ quantity: 'cancelled', refs: refsOf(series, 'cancelled', run) }],
          missing: lacks(
            tracks.has('waiting') || tracks.has('queue_wait'),
            'traces',
            'no queue was recorded: whether clients lost patience or left for another reason is unknown',
          ),
          // They follow slow answers more often than they cause any.
          isNew: false,
        },
      ];
    });
  },
};
