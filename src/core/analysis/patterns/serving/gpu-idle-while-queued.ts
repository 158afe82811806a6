import { orNull, type ServingRule } from '../../serving/condition.ts';
import { meanIn, type Run, refsOf, runsWhere, usualBefore } from '../../serving/runs.ts';
import type { ServiceSeries } from '../../serving/service-series.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';
import { isCacheFull, isQueued, queuesOf } from './queued.ts';

/** The GPUs of a service are hardly busy while requests wait: something before them is the bottleneck. */
export const gpuIdleWhileQueued: ServingRule = {
  id: 'gpu-idle-while-queued',
  find: (series) =>
    idleRuns(series).map((run) => {
      const { service, model, tracks } = series;
      const before = usualBefore(series, 'busy', run);
      return {
        service,
        model,
        start_ns: run.start_ns,
        end_ns: run.end_ns,
        figures: {
          rule: 'gpu-idle-while-queued',
          busy: meanIn(series, 'busy', run),
          busy_before: orNull(before),
          waiting: meanIn(series, 'waiting', run),
          queues: queuesOf(series),
        },
        evidence: [
          { quantity: 'busy', refs: refsOf(series, 'busy', run) },
          { quantity: 'waiting', refs: refsOf(series, 'waiting', run) },
        ],
        missing: lacks(
          tracks.has('batch_fill') || tracks.has('batch') || tracks.has('running'),
          'traces',
          'no batch size or number of running requests: what holds the requests back is unknown',
        ),
        // GPUs that were as idle without a queue had no more to do; the queue is new.
        isNew:
          before >= servingPatterns.idleGpuPercent ||
          usualBefore(series, 'waiting', run) < servingPatterns.waitingRequests,
      };
    }),
};

/** Load that varies around the limit is one finding: it ends with a GPU that is at work again. */
function idleRuns(series: ServiceSeries): Run[] {
  const runsBelow = (most: number): Run[] =>
    runsWhere(series.tracks.get('busy'), series, servingPatterns.servingLastsSeconds, (level) => {
      // A full cache holds requests back, whatever the scheduler would do.
      if (isCacheFull(series, level)) return false;
      const queued = isQueued(series, level);
      return queued === undefined ? undefined : queued && level.mean < most;
    });
  const idle = runsBelow(servingPatterns.idleGpuPercent);
  return runsBelow(servingPatterns.workingGpuPercent).filter((run) =>
    idle.some(({ start_ns, end_ns }) => start_ns < run.end_ns && run.start_ns < end_ns),
  );
}
