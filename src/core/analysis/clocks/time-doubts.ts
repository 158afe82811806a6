import type { EventFact } from '../../store/reader.ts';
import type { ClockEstimate, SupposedZone } from './clock-estimate.ts';

/** What keeps the time of a record from being the time of what it tells. */
export interface TimeDoubts {
  /** Seconds that it may have happened before it was recorded: samples and polls see things late. */
  seenLate_s(event: Pick<EventFact, 'event_id' | 'source_id'>): number;
  /** Whether linked events of other sources, or the investigator, vouch for the clock of its source. */
  isVouchedFor(event: Pick<EventFact, 'source_id'>): boolean;
  /** The zone that its source is supposed to be in; null where its time is what was recorded, or corrected for good. */
  supposedZone(event: Pick<EventFact, 'source_id'>): SupposedZone | null;
}

/** @param polls seconds by source, @param floors seconds between samples by event id */
export function timeDoubts(
  polls: ReadonlyMap<number, number>,
  floors: ReadonlyMap<number, number>,
  clocks: readonly ClockEstimate[],
): TimeDoubts {
  const vouched = new Set(clocks.filter(({ method }) => method !== 'unknown').map(({ source_id }) => source_id));
  const supposed = new Map(clocks.map(({ source_id, perhaps }) => [source_id, perhaps]));
  return {
    seenLate_s: ({ event_id, source_id }) => floors.get(event_id) ?? polls.get(source_id) ?? 0,
    isVouchedFor: ({ source_id }) => vouched.has(source_id),
    supposedZone: ({ source_id }) => supposed.get(source_id) ?? null,
  };
}

/** Every record says when it happened. */
export const noDoubts: TimeDoubts = { seenLate_s: () => 0, isVouchedFor: () => false, supposedZone: () => null };
