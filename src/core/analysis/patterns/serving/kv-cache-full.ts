import { orNull, type ServingRule } from '../../serving/condition.ts';
import { meanIn, refsOf, runsWhere, totalIn, usualBefore } from '../../serving/runs.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';
import { isQueued } from './queued.ts';

/** The key-value cache is full, so that requests are set back and computed again. */
export const kvCacheFull: ServingRule = {
  id: 'kv-cache-full',
  find: (series) => {
    const counts = series.tracks.has('preemptions');
    return runsWhere(series.tracks.get('kv_cache'), series, servingPatterns.servingLastsSeconds, (level) => {
      if (level.mean < servingPatterns.fullCachePercent) return false;
      // Without a count, a queue shows that it has no room.
      return counts ? true : isQueued(series, level);
    }).flatMap((run) => {
      const preemptions = totalIn(series, 'preemptions', run);
      if (counts && !(preemptions >= servingPatterns.leastPreemptions)) return [];
      const { service, model } = series;
      const before = usualBefore(series, 'kv_cache', run);
      return [
        {
          service,
          model,
          start_ns: run.start_ns,
          end_ns: run.end_ns,
          figures: {
            rule: 'kv-cache-full',
            usage: meanIn(series, 'kv_cache', run),
            usage_before: orNull(before),
            preemptions: counts ? preemptions : null,
            waiting: orNull(meanIn(series, 'waiting', run)),
          },
          evidence: [
            { quantity: 'kv_cache', refs: refsOf(series, 'kv_cache', run) },
            ...(counts ? [{ quantity: 'preemptions' as const, refs: refsOf(series, 'preemptions', run) }] : []),
          ],
          missing: lacks(
            counts,
            'software',
            'preemptions were not counted: whether requests are computed again is unknown',
          ),
          isNew: before < servingPatterns.fullCachePercent,
        },
      ];
    });
  },
};
