import { orNull, type ServingRule } from '../../serving/condition.ts';
import { meanIn, refsOf, runsWhere, usualBefore } from '../../serving/runs.ts';
import { type ServiceSeries, Track } from '../../serving/service-series.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';
import { isCacheFull, isQueued, queuesOf } from './queued.ts';

/** Batches hold few requests while others wait: a limit or a timeout of the scheduler holds them back, not the GPU. */
export const batchUnderfilled: ServingRule = {
  id: 'batch-underfilled',
  find: (series) => {
    const stated = series.tracks.get('batch_fill');
    const seen = stated ? undefined : largestBatch(series);
    const fill = stated ?? seen?.fill;
    return runsWhere(fill, series, servingPatterns.servingLastsSeconds, (level) => {
      // A full cache holds requests back, whatever the scheduler would do.
      if (isCacheFull(series, level)) return false;
      const queued = isQueued(series, level);
      return queued === undefined ? undefined : queued && level.mean < servingPatterns.underfilledPercent;
    }).map((run) => {
      const own = { tracks: new Map([...series.tracks, ['batch_fill', fill!] as const]) };
      const { service, model } = series;
      const share = meanIn(own, 'batch_fill', run);
      const batch = meanIn(series, batchOf(series), run);
      const before = usualBefore(own, 'batch_fill', run);
      const limit = seen?.largest ?? orNull(meanIn(series, 'batch_limit', run)) ?? orNull((100 * batch) / share);
      return {
        service,
        model,
        start_ns: run.start_ns,
        end_ns: run.end_ns,
        figures: {
          rule: 'batch-underfilled',
          fill: share,
          fill_before: orNull(before),
          batch: orNull(batch),
          limit,
          isSeen: seen !== undefined,
          replicas: series.replicas.size,
          waiting: meanIn(series, 'waiting', run),
          queues: queuesOf(series),
        },
        evidence: [
          { quantity: 'batch', refs: refsOf(own, 'batch_fill', run) },
          { quantity: 'waiting', refs: refsOf(series, 'waiting', run) },
        ],
        missing: lacks(
          seen === undefined,
          'software',
          'the limit of a batch was not recorded: it is taken from the largest one',
        ),
        // Batches that held as few without a queue were what there was to do; the queue is new.
        isNew:
          before >= servingPatterns.underfilledPercent ||
          usualBefore(series, 'waiting', run) < servingPatterns.waitingRequests,
      };
    });
  },
};

/** Servers that batch continuously state the requests that they work on. */
const batchOf = ({ tracks }: ServiceSeries) => (tracks.has('batch') ? 'batch' : 'running');

/** Batches as shares of the largest one, where no limit is stated. */
function largestBatch(series: ServiceSeries): { readonly largest: number; readonly fill: Track } | undefined {
  const levels = series.tracks.get(batchOf(series))?.levels ?? [];
  const largest = levels.reduce((most, { mean }) => Math.max(most, mean), 0);
  if (!(largest > 1)) return undefined;
  return { largest, fill: new Track(levels.map((level) => ({ ...level, mean: (100 * level.mean) / largest }))) };
}
