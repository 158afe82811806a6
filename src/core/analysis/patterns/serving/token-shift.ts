import type { ServingCondition, ServingRule } from '../../serving/condition.ts';
import { middleIn, readingsIn, refsOf, runsUnlikeBefore } from '../../serving/runs.ts';
import type { ServiceSeries } from '../../serving/service-series.ts';
import { median } from '../../statistics.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

/** Prompts or answers became longer, most of them: the requests changed, not the service. */
export const tokenShift: ServingRule = {
  id: 'token-shift',
  find: (series) => [...shifts(series, 'input'), ...shifts(series, 'output')],
};

function shifts(series: ServiceSeries, of: 'input' | 'output'): ServingCondition[] {
  const quantity = `${of}_tokens` as const;
  const track = series.tracks.get(quantity);
  if (!track) return [];
  const isLong = (tokens: number, than: number): boolean => tokens >= servingPatterns.longerTokensTimes * than;
  return runsUnlikeBefore(track, series, servingPatterns.tokensLastSeconds, isLong, { of: 'middle' }).flatMap((run) => {
    const tokens = middleIn(series, quantity, run);
    const earlier = track.levels.filter(({ slice }) => slice < run.slices[0]!);
    const before = median(earlier.map(({ middle }) => middle));
    if (!isLong(tokens, before) || readingsIn(series, quantity, run) < servingPatterns.leastTokenRequests) return [];
    const { service, model, start_ns, end_ns, tracks } = { ...series, ...run };
    return [
      {
        service,
        model,
        start_ns,
        end_ns,
        figures: { rule: 'token-shift', of, tokens, tokens_before: before },
        evidence: [{ quantity, refs: refsOf(series, quantity, run) }],
        missing: lacks(tracks.has('duration'), 'traces', 'no durations of requests: the effect is unknown'),
        isNew: true,
      },
    ];
  });
}
