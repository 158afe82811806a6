import { orNull, type ServingCondition, type ServingRule } from '../../serving/condition.ts';
import { meanIn, type Run, refsOf, runsWhere, usualBefore } from '../../serving/runs.ts';
import type { ServiceSeries } from '../../serving/service-series.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';
import { isQueued } from './queued.ts';

/** What the rule reads of replicas. */
const replicas = ['replicas_wanted', 'replicas_ready', 'replicas_current', 'replicas_limit'] as const;

/** A service is scaled out, and its replicas are not ready while requests wait; or it may not be scaled any further. */
export const autoscalerLag: ServingRule = {
  id: 'autoscaler-lag',
  find: (series) => {
    // Other work scales out as well, and nobody waits for it.
    if ([...series.tracks.keys()].every((quantity) => replicas.some((one) => one === quantity))) return [];
    return [...late(series), ...atLimit(series)];
  },
};

const ownOf = ({ tracks }: ServiceSeries) => (tracks.has('replicas_ready') ? 'replicas_ready' : 'replicas_current');

function late(series: ServiceSeries): ServingCondition[] {
  const { tracks } = series;
  const hasQueue = tracks.has('waiting');
  const own = ownOf(series);
  return runsWhere(tracks.get('replicas_wanted'), series, servingPatterns.scaleLagSeconds, (level) => {
    const ready = tracks.get(own)?.at(level.slice);
    if (ready === undefined) return undefined;
    if (level.mean - ready.mean < servingPatterns.missingReplicas) return false;
    return hasQueue ? isQueued(series, level) : true;
  }).flatMap((run) =>
    // As many as before: one was lost.
    meanIn(series, 'replicas_wanted', run) > usualBefore(series, 'replicas_wanted', run)
      ? [toCondition(series, run, false)]
      : [],
  );
}

/** All that it may have is wanted and there, and requests wait all the same. */
function atLimit(series: ServiceSeries): ServingCondition[] {
  const { tracks } = series;
  const own = ownOf(series);
  return runsWhere(tracks.get('replicas_wanted'), series, servingPatterns.scaleLagSeconds, (level) => {
    const limit = tracks.get('replicas_limit')?.at(level.slice);
    if (limit === undefined) return undefined;
    const ready = tracks.get(own)?.at(level.slice);
    const isLate = ready !== undefined && level.mean - ready.mean >= servingPatterns.missingReplicas;
    return level.mean < limit.mean || isLate ? false : isQueued(series, level);
  }).map((run) => toCondition(series, run, true));
}

function toCondition(series: ServiceSeries, run: Run, isAtLimit: boolean): ServingCondition {
  const { service, model, tracks } = series;
  const own = ownOf(series);
  const wanted = meanIn(series, 'replicas_wanted', run);
  const wanted_before = usualBefore(series, 'replicas_wanted', run);
  return {
    service,
    model,
    start_ns: run.start_ns,
    end_ns: run.end_ns,
    figures: {
      rule: 'autoscaler-lag',
      wanted,
      // Nothing was recorded before.
      wanted_before: Number.isNaN(wanted_before) ? wanted : wanted_before,
      ready: isAtLimit && !tracks.has(own) ? wanted : meanIn(series, own, run),
      isCurrent: own === 'replicas_current',
      isAtLimit,
      seconds: Number(run.end_ns - run.start_ns) / 1e9,
      waiting: orNull(meanIn(series, 'waiting', run)),
    },
    evidence: (isAtLimit
      ? (['replicas_wanted', 'replicas_limit', 'waiting'] as const)
      : (['replicas_wanted', own] as const)
    ).map((quantity) => ({ quantity, refs: refsOf(series, quantity, run) })),
    missing: lacks(
      tracks.has('waiting'),
      'software',
      'no queue was recorded: whether requests needed the replicas is unknown',
    ),
    isNew: !isAtLimit || usualBefore(series, 'waiting', run) < servingPatterns.waitingRequests,
  };
}
