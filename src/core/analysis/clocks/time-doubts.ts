import type { EventFact } from '../../store/facts/reader.ts';
import type { ClockEstimate, SupposedZone } from './clock-estimate.ts';

/** What keeps the time of a record from being the time of what it tells. */
export interface TimeDoubts {
  /** Seconds that it may have happened before it was recorded: samples and polls see things late. */
  seenLate_s(event: Pick<EventFact, 'event_id' | 'source_id'>): number;
  /** The same, and what sources may be late by that said too little to show whether they poll. */
  mayBeLate_s(event: Pick<EventFact, 'event_id' | 'source_id'>): number;
  /** Whether linked events of other sources, or the investigator, vouch for the clock of its source. */
  isVouchedFor(event: Pick<EventFact, 'source_id'>): boolean;
  /** The zone that its source is supposed to be in; null where its time is what was recorded, or corrected for good. */
  supposedZone(event: Pick<EventFact, 'source_id'>): SupposedZone | null;
}

/** How often collectors ask by default, seconds (Telegraf 10 s, dcgm-exporter 30 s, snmp_exporter by its scrapes): the least. */
const TYPICAL_POLL_S = 10;

/** When sources ask their devices, as far as they show it. */
export interface Polling {
  /** Seconds by source. */
  readonly every_s: ReadonlyMap<number, number>;
  readonly unknown: ReadonlySet<number>;
}

/** @param floors seconds between samples by event id */
export function timeDoubts(
  { every_s, unknown }: Polling,
  floors: ReadonlyMap<number, number>,
  clocks: readonly ClockEstimate[],
): TimeDoubts {
  const vouched = new Set(clocks.filter(({ method }) => method !== 'unknown').map(({ source_id }) => source_id));
  const supposed = new Map(clocks.map(({ source_id, perhaps }) => [source_id, perhaps]));
  const seenLate_s: TimeDoubts['seenLate_s'] = ({ event_id, source_id }) =>
    floors.get(event_id) ?? every_s.get(source_id) ?? 0;
  return {
    seenLate_s,
    mayBeLate_s: (event) => seenLate_s(event) || (unknown.has(event.source_id) ? TYPICAL_POLL_S : 0),
    isVouchedFor: ({ source_id }) => vouched.has(source_id),
    supposedZone: ({ source_id }) => supposed.get(source_id) ?? null,
  };
}

/** Every record says when it happened. */
export const noDoubts: TimeDoubts = {
  seenLate_s: () => 0,
  mayBeLate_s: () => 0,
  isVouchedFor: () => false,
  supposedZone: () => null,
};
