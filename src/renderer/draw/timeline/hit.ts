import { bisectLeft } from '../../../base/bisect.ts';
import type { LaneEvents } from '../../../model/contract/index.ts';
import { MERGE_PX } from './event-marks.ts';
import type { LaneRect } from './lane-rect.ts';

export interface EventHit {
  readonly index: number;
  /** Events in the same mark. */
  readonly together: number;
  readonly x: number;
}

const REACH_PX = 8;

/** The event under the mouse: the most severe within reach, the nearest if equal. */
export function hitEvent(data: LaneEvents, rect: LaneRect, x: number): EventHit | null {
  const { offset_s: offsets, severity } = data;
  const second = (px: number) => (px - rect.originX) / rect.pixelsPerSecond;
  const first = bisectLeft(offsets, second(x - REACH_PX));
  const end = bisectLeft(offsets, second(x + REACH_PX), first);
  let best = -1;
  let together = 0;
  let bestX = 0;
  for (let at = first; at < end; at++) {
    const own = rect.originX + offsets[at]! * rect.pixelsPerSecond;
    if (best < 0 || better(severity[at]!, Math.abs(own - x), severity[best]!, Math.abs(bestX - x))) {
      best = at;
      bestX = own;
    }
  }
  if (best < 0) return null;
  for (let at = first; at < end; at++) {
    if (Math.abs(rect.originX + offsets[at]! * rect.pixelsPerSecond - bestX) < MERGE_PX) together++;
  }
  return { index: best, together, x: bestX };
}

const better = (severity: number, distance: number, bestSeverity: number, bestDistance: number): boolean =>
  severity !== bestSeverity ? severity < bestSeverity : distance < bestDistance;

/** Index of an event in a lane by its id; -1: not loaded. */
export const indexOfEvent = (data: LaneEvents, eventId: number): number => data.event_id.indexOf(eventId);
