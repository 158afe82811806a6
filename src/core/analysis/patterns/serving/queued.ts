import type { Level, ServiceSeries } from '../../serving/service-series.ts';
import { servingPatterns } from './parameters.ts';

/** Whether requests waited at the time of a level; undefined: no queue was recorded. */
export function isQueued({ tracks }: ServiceSeries, { slice }: Level): boolean | undefined {
  const waiting = tracks.get('waiting')?.at(slice);
  return waiting === undefined ? undefined : waiting.mean >= servingPatterns.waitingRequests;
}

/** Whether the key-value cache was full at the time of a level, so that it holds requests back; false: unknown, too. */
export function isCacheFull({ tracks }: ServiceSeries, { slice }: Level): boolean {
  const use = tracks.get('kv_cache')?.at(slice);
  return use !== undefined && use.mean >= servingPatterns.fullCachePercent;
}

/** Replicas with a queue of their own. */
export const queuesOf = ({ replicas }: ServiceSeries): number =>
  [...replicas.values()].filter(({ tracks }) => tracks.has('waiting')).length;
