import type { EventFact } from '../../store/facts/reader.ts';
import type { ClockEstimate } from './clock-estimate.ts';

/**
 * The events on the estimated clocks, in order of time, each with the uncertainty of its source's clock. For reasoning
 * only: the case keeps what was recorded. A source that is right only in a zone that is supposed is taken to be in it. A
 * drift is not taken out: what it amounts to while the pairs lasted is part of the uncertainty.
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
