import type { EventFact } from '../../store/facts/reader.ts';
import { binomialTail } from '../software/significance.ts';
import { clocks } from './parameters.ts';

/** Common polling intervals, seconds; the longest one that fits counts. */
const INTERVALS = [300, 120, 60, 30, 20, 15, 10, 5] as const;
/**
 * Polling interval of each data source, in seconds, detected from the times of its own events: polled events lie at one phase
 * of the interval, beyond chance (binomial tail, corrected for the phases and intervals tested). An event may have happened up
 * to one interval before it was recorded. Data sources without a detected interval are omitted: they report at once or have
 * too few events.
 */
export function pollingIntervals(
  events: readonly Pick<EventFact, 'source_id' | 'time_ns'>[],
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const [source, own] of Map.groupBy(events, ({ source_id }) => source_id)) {
    const origin = own[0]?.time_ns ?? 0n;
    const times = distinct(own.map(({ time_ns }) => Number(time_ns - origin) / 1e9));
    const interval = INTERVALS.find((every_s) => isPolled(times, every_s));
    if (interval !== undefined) found.set(source, interval);
  }
  return found;
}

/** Data sources with too few events to detect polling. */
export function sourcesOfFewTimes(events: readonly Pick<EventFact, 'source_id' | 'time_ns'>[]): ReadonlySet<number> {
  const few = new Set<number>();
  for (const [source, own] of Map.groupBy(events, ({ source_id }) => source_id)) {
    const origin = own[0]?.time_ns ?? 0n;
    if (distinct(own.map(({ time_ns }) => Number(time_ns - origin) / 1e9)).length < clocks.pollTimes) few.add(source);
  }
  return few;
}

/** Events of one poll cycle count once: a burst shows no interval. @param within_s apart from the event before, at most */
function distinct(times: readonly number[], within_s: number = clocks.pollPhaseSeconds): number[] {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted.filter((time, i) => i === 0 || time - sorted[i - 1]! > within_s);
}

function isPolled(all: readonly number[], every_s: number): boolean {
  const width = Math.max(clocks.pollPhaseSeconds, clocks.pollPhaseShare * every_s);
  const times = distinct(all, width);
  if (times.length < clocks.pollTimes) return false;
  const phases = times.map((time) => ((time % every_s) + every_s) % every_s).sort((a, b) => a - b);
  // Repeated one interval later, because the phase may wrap around.
  const rounds = [...phases, ...phases.map((phase) => phase + every_s)];
  let most = 0;
  for (let from = 0, to = 0; from < phases.length; from++) {
    while (to < rounds.length && rounds[to]! - rounds[from]! <= width) to++;
    most = Math.max(most, Math.min(phases.length, to - from));
  }
  if (most < clocks.polledShare * times.length) return false;
  const tried = times.length * INTERVALS.length;
  return tried * binomialTail(most - 1, times.length - 1, width / every_s) < clocks.pollChance;
}
