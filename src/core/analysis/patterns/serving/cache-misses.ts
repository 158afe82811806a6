import type { ServingRule } from '../../serving/condition.ts';
import { meanIn, readingsIn, refsOf, runsUnlikeBefore, usualBefore } from '../../serving/runs.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

/** The hit rate of a prefix, key-value or response cache falls. */
export const cacheMisses: ServingRule = {
  id: 'cache-misses',
  find: (series) => {
    const track = series.tracks.get('cache_hit');
    if (!track) return [];
    const isLow = (hits: number, than: number): boolean =>
      than - hits >= servingPatterns.cacheFallPercent && hits <= servingPatterns.cacheFallShare * than;
    return runsUnlikeBefore(track, series, servingPatterns.servingLastsSeconds, isLow).flatMap((run) => {
      const hits = meanIn(series, 'cache_hit', run);
      const before = usualBefore(series, 'cache_hit', run);
      // Without a level before there was no fall: a cache begins empty.
      if (!isLow(hits, before) || readingsIn(series, 'cache_hit', run) < servingPatterns.leastLookups) return [];
      const { service, model, tracks } = series;
      return [
        {
          service,
          model,
          start_ns: run.start_ns,
          end_ns: run.end_ns,
          figures: { rule: 'cache-misses', hits, hits_before: before },
          evidence: [{ quantity: 'cache_hit', refs: refsOf(series, 'cache_hit', run) }],
          missing: lacks(
            tracks.has('input_tokens') || tracks.has('kv_cache'),
            'traces',
            'no lengths of prompts and no use of the key-value cache: other prompts and evicted entries look the same',
          ),
          isNew: true,
        },
      ];
    });
  },
};
