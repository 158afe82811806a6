import type { EventFact } from '../../store/facts/reader.ts';
import type { ClockEstimate } from './clock-estimate.ts';

/**
 * The events on the estimated clocks, in time order, each with the clock uncertainty of its data source. For ranking only:
 * the case keeps the recorded times. An assumed time zone is applied. Drift is not corrected: its amount over the linked pairs
 * is part of the uncertainty.
 */
export function correctTimes(events: readonly EventFact[], estimates: readonly ClockEstimate[]): EventFact[] {
  const bySource = new Map(estimates.map((estimate) => [estimate.source_id, estimate]));
  return events
    .map((event) => {
      const clock = bySource.get(event.source_id);
      if (!clock) return event;
      const time_ns = event.time_ns + clock.correction_ns + (clock.perhaps?.correction_ns ?? 0n);
      return { ...event, time_ns, clock_uncertainty_ns: clock.uncertainty_ns };
    })
    .sort((a, b) => (a.time_ns < b.time_ns ? -1 : a.time_ns > b.time_ns ? 1 : a.event_id - b.event_id));
}
