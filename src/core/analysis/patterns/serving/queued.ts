import type { Level, ServiceSeries } from '../../serving/service-series.ts';
import { servingPatterns } from './parameters.ts';

/** Whether requests waited at the time of a level; undefined: no queue was recorded. */
export function isQueued({ tracks }: ServiceSeries, { slice }: Level): boolean | undefined {
  const waiting = tracks.get('waiting')?.at(slice);
  return waiting === undefined ? undefined : waiting.mean >= servingPatterns.waitingRequests;
}
