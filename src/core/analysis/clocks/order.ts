import type { EventFact } from '../../store/facts/reader.ts';
import type { ClockEstimate } from './clock-estimate.ts';

/** `undecided`: clock uncertainty could reverse it. */
export type Order = 'before' | 'after' | 'undecided';

export type Timed = Pick<EventFact, 'event_id' | 'source_id' | 'time_ns'>;

export interface ClockDoubts {
  readonly clocks: ReadonlyMap<number, Pick<ClockEstimate, 'uncertainty_ns' | 'resolution_ns'>>;
  /** Seconds between samples, by `event_id`. */
  readonly floors?: ReadonlyMap<number, number>;
}

/**
 * Whether `first` came before `second` with 95 % probability. Times are those on the corrected clocks.
 *
 * Two events of one source share its clock, so that only sampling leaves their order open. Events of two sources have
 * independent errors, which add in squares; sampling and truncation are bounds and add as they
 * are.
 */
export function orderOf(first: Timed, second: Timed, doubts: ClockDoubts): Order {
  const difference = Number(second.time_ns - first.time_ns);
  const isOneClock = first.source_id === second.source_id;
  const [a, b] = [first, second].map(({ source_id }) => (isOneClock ? undefined : doubts.clocks.get(source_id)));
  const clocks = Math.hypot(Number(a?.uncertainty_ns ?? 0n), Number(b?.uncertainty_ns ?? 0n));
  const sampled = ({ event_id }: Timed): number => (doubts.floors?.get(event_id) ?? 0) * 1e9;
  // An event is later than recorded by the truncated digits, and earlier by up to a sample interval.
  if (difference - Number(a?.resolution_ns ?? 0n) - sampled(second) > clocks) return 'before';
  if (difference + Number(b?.resolution_ns ?? 0n) + sampled(first) < -clocks) return 'after';
  return 'undecided';
}
