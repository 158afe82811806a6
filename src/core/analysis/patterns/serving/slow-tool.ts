import type { ServingCondition, ServingRule } from '../../serving/condition.ts';
import { meanIn, readingsIn, refsOf, runsUnlikeBefore, usualBefore } from '../../serving/runs.ts';
import type { ServiceSeries, Track } from '../../serving/service-series.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

/** A tool that a model calls takes much longer than before; of tools without a name all together. */
export const slowTool: ServingRule = {
  id: 'slow-tool',
  find: (series) => {
    const all = series.tracks.get('tool_duration');
    if (series.tools.size === 0) return all ? slowCalls(series, null, all) : [];
    return [...series.tools].flatMap(([tool, track]) => slowCalls(series, tool, track));
  },
};

function slowCalls(service: ServiceSeries, tool: string | null, track: Track): ServingCondition[] {
  const isSlow = (took: number, than: number): boolean => took >= servingPatterns.slowToolTimes * than;
  const series = { ...service, tracks: new Map([...service.tracks, ['tool_duration' as const, track]]) };
  return runsUnlikeBefore(track, series, servingPatterns.servingLastsSeconds, isSlow).flatMap((run) => {
    const took = meanIn(series, 'tool_duration', run);
    const before = usualBefore(series, 'tool_duration', run);
    const calls = readingsIn(series, 'tool_duration', run);
    if (!isSlow(took, before) || calls < servingPatterns.leastToolCalls) return [];
    const { start_ns, end_ns } = run;
    return [
      {
        ...{ service: series.service, model: series.model, start_ns, end_ns },
        figures: { rule: 'slow-tool', tool, took, took_before: before, calls },
        evidence: [{ quantity: 'tool_duration', refs: refsOf(series, 'tool_duration', run) }],
        missing: lacks(
          series.tracks.has('duration'),
          'traces',
          'no spans of the model: its own share of the time is unknown',
        ),
        isNew: true,
      },
    ];
  });
}
