import { orNull, type ServingRule } from '../../serving/condition.ts';
import { meanIn, refsOf, runsWhere, usualBefore } from '../../serving/runs.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';
import { isQueued } from './queued.ts';

const replicas = ['replicas_wanted', 'replicas_ready'] as const;

/** A service is scaled out, and its replicas are not ready while requests wait. */
export const autoscalerLag: ServingRule = {
  id: 'autoscaler-lag',
  find: (series) => {
    const { service, model, tracks } = series;
    // Other work scales out as well, and nobody waits for it.
    if ([...tracks.keys()].every((quantity) => replicas.some((one) => one === quantity))) return [];
    const hasQueue = tracks.has('waiting');
    return runsWhere(tracks.get('replicas_wanted'), series, servingPatterns.scaleLagSeconds, (level) => {
      const ready = tracks.get('replicas_ready')?.at(level.slice);
      if (ready === undefined) return undefined;
      if (level.mean - ready.mean < servingPatterns.missingReplicas) return false;
      return hasQueue ? isQueued(series, level) : true;
    }).flatMap((run) => {
      const wanted = meanIn(series, 'replicas_wanted', run);
      const wanted_before = usualBefore(series, 'replicas_wanted', run);
      // As many as before: one was lost.
      if (!(wanted > wanted_before)) return [];
      return [
        {
          service,
          model,
          start_ns: run.start_ns,
          end_ns: run.end_ns,
          figures: {
            rule: 'autoscaler-lag',
            wanted,
            wanted_before,
            ready: meanIn(series, 'replicas_ready', run),
            seconds: Number(run.end_ns - run.start_ns) / 1e9,
            waiting: orNull(meanIn(series, 'waiting', run)),
          },
          evidence: replicas.map((quantity) => ({ quantity, refs: refsOf(series, quantity, run) })),
          missing: lacks(
            hasQueue,
            'software',
            'no queue was recorded: whether requests needed the replicas is unknown',
          ),
          isNew: true,
        },
      ];
    });
  },
};
