import { nanoseconds } from '../../../model/time.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import { ranking } from './parameters.ts';

/** Whether another service's impact began within the onset uncertainty of this one, and lasted longer. */
export function began(other: ImpactWindow, window: ImpactWindow): boolean {
  const near = nanoseconds(ranking.sameOnsetSeconds);
  return (
    other.service !== window.service &&
    other.onset_earliest_ns - near <= window.onset_ns &&
    window.onset_earliest_ns - near <= other.onset_ns
  );
}
