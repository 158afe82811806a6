import type { EventFact } from '../../store/facts/reader.ts';
import type { ClockEstimate, SupposedZone } from './clock-estimate.ts';
import { clocks } from './parameters.ts';

/** Differences between the time of a record and the time of its event. */
export interface TimeDoubts {
  /** Maximum recording delay by samples and polls, seconds. */
  seenLate_s(event: Pick<EventFact, 'event_id' | 'source_id'>): number;
  /** The same, with a default for data sources whose polling is unknown. */
  mayBeLate_s(event: Pick<EventFact, 'event_id' | 'source_id'>): number;
  /** Whether linked events of other data sources, or the investigator, confirm the clock of its data source. */
  isVouchedFor(event: Pick<EventFact, 'source_id'>): boolean;
  /** Assumed time zone of its data source; null if its time is as recorded or has a confirmed correction. */
  supposedZone(event: Pick<EventFact, 'source_id'>): SupposedZone | null;
}

/** Detected polling of the data sources. */
export interface Polling {
  /** Seconds by source. */
  readonly every_s: ReadonlyMap<number, number>;
  readonly unknown: ReadonlySet<number>;
}

/** @param floors seconds between samples by event id */
export function timeDoubts(
  { every_s, unknown }: Polling,
  floors: ReadonlyMap<number, number>,
  estimates: readonly ClockEstimate[],
): TimeDoubts {
  const vouched = new Set(estimates.filter(({ method }) => method !== 'unknown').map(({ source_id }) => source_id));
  const supposed = new Map(estimates.map(({ source_id, perhaps }) => [source_id, perhaps]));
  const seenLate_s: TimeDoubts['seenLate_s'] = ({ event_id, source_id }) =>
    floors.get(event_id) ?? every_s.get(source_id) ?? 0;
  return {
    seenLate_s,
    mayBeLate_s: (event) => seenLate_s(event) || (unknown.has(event.source_id) ? clocks.typicalPollSeconds : 0),
    isVouchedFor: ({ source_id }) => vouched.has(source_id),
    supposedZone: ({ source_id }) => supposed.get(source_id) ?? null,
  };
}

/** Recorded times are event times. */
export const noDoubts: TimeDoubts = {
  seenLate_s: () => 0,
  mayBeLate_s: () => 0,
  isVouchedFor: () => false,
  supposedZone: () => null,
};
