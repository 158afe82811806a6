import type { ServingRule } from '../../serving/condition.ts';
import { meanIn, readingsIn, refsOf, runsUnlikeBefore, usualBefore } from '../../serving/runs.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

/** Tools that a model calls take much longer than before. */
export const slowTool: ServingRule = {
  id: 'slow-tool',
  find: (series) => {
    const track = series.tracks.get('tool_duration');
    if (!track) return [];
    const isSlow = (took: number, than: number): boolean => took >= servingPatterns.slowToolTimes * than;
    return runsUnlikeBefore(track, series, servingPatterns.servingLastsSeconds, isSlow).flatMap((run) => {
      const took = meanIn(series, 'tool_duration', run);
      const before = usualBefore(series, 'tool_duration', run);
      const calls = readingsIn(series, 'tool_duration', run);
      if (!isSlow(took, before) || calls < servingPatterns.leastToolCalls) return [];
      const { service, model, start_ns, end_ns, tracks } = { ...series, ...run };
      return [
        {
          service,
          model,
          start_ns,
          end_ns,
          figures: { rule: 'slow-tool', took, took_before: before, calls },
          evidence: [{ quantity: 'tool_duration', refs: refsOf(series, 'tool_duration', run) }],
          missing: lacks(
            tracks.has('duration'),
            'traces',
            'no spans of the model: its own share of the time is unknown',
          ),
          isNew: true,
        },
      ];
    });
  },
};
