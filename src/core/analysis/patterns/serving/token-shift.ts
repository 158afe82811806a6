import type { ServingCondition, ServingRule } from '../../serving/condition.ts';
import { meanIn, readingsIn, refsOf, runsWhere, usualBefore } from '../../serving/runs.ts';
import type { ServiceSeries } from '../../serving/service-series.ts';
import { median } from '../../statistics.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

/** Prompts or answers became longer: the requests changed, not the service. */
export const tokenShift: ServingRule = {
  id: 'token-shift',
  find: (series) => [...shifts(series, 'input'), ...shifts(series, 'output')],
};

function shifts(series: ServiceSeries, of: 'input' | 'output'): ServingCondition[] {
  const quantity = `${of}_tokens` as const;
  const track = series.tracks.get(quantity);
  if (!track) return [];
  const usual = median(track.levels.map(({ mean }) => mean));
  const isLong = (tokens: number, than: number): boolean => tokens >= servingPatterns.longerTokensTimes * than;
  return runsWhere(track, series, servingPatterns.tokensLastSeconds, ({ mean }) => isLong(mean, usual)).flatMap(
    (run) => {
      const tokens = meanIn(series, quantity, run);
      const before = usualBefore(series, quantity, run);
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
    },
  );
}
