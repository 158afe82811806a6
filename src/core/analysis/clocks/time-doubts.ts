import type { EventFact } from '../../store/reader.ts';
import type { ClockEstimate } from './clock-estimate.ts';

/** What keeps the time of a record from being the time of what it tells. */
export interface TimeDoubts {
  /** Seconds that it may have happened before it was recorded: samples and polls see things late. */
  seenLate_s(event: Pick<EventFact, 'event_id' | 'source_id'>): number;
  /** Whether linked events of other sources, or the investigator, vouch for the clock of its source. */
  isVouchedFor(event: Pick<EventFact, 'source_id'>): boolean;
}

/** @param polls seconds by source, @param floors seconds between samples by event id */
export function timeDoubts(
  polls: ReadonlyMap<number, number>,
  floors: ReadonlyMap<number, number>,
  clocks: readonly ClockEstimate[],
): TimeDoubts {
  const vouched = new Set(clocks.filter(({ method }) => method !== 'unknown').map(({ source_id }) => source_id));
  return {
    seenLate_s: ({ event_id, source_id }) => floors.get(event_id) ?? polls.get(source_id) ?? 0,
    isVouchedFor: ({ source_id }) => vouched.has(source_id),
  };
}

/** Every record says when it happened. */
export const noDoubts: TimeDoubts = { seenLate_s: () => 0, isVouchedFor: () => false };
