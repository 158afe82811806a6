import type { EventFact } from '../../../store/facts/reader.ts';
import type { IncidentContext } from '../incident-context.ts';
import { ranking } from '../parameters.ts';

/** How an event that came after the first anomaly could have been before it all the same. */
export interface Lateness {
  /** Least error of a clock by which it would be in order; 0: it is. */
  readonly error_s: number;
  /** Whether other records confirm its clock. */
  readonly isChecked: boolean;
  /** What such an error costs, log-odds, not negative. */
  readonly cost: number;
}

/**
 * What a clock error costs, log-odds: few clocks are wrong by much, but some by minutes (a Cauchy distribution, whose tail is heavy).
 * @param usual_s half of the clocks are wrong by more
 */
const clockErrorCost = (error_s: number, usual_s: number): number => Math.log1p((error_s / usual_s) ** 2);

/** Several other services on its entity began to suffer right after it: that confirms its clock. */
function isConfirmedByOthers(event: EventFact, { input: { graph, impacts, window } }: IncidentContext): boolean {
  const carried = graph.servicesOn(event.entity);
  const after = new Set<number>();
  for (const { service, onset_ns } of impacts) {
    const lag_s = Number(onset_ns - event.time_ns) / 1e9;
    if (service !== window.service && carried.has(service) && lag_s >= 0 && lag_s <= ranking.sameOnsetSeconds)
      after.add(service);
  }
  return after.size >= ranking.severalServices;
}

export function latenessOf(event: EventFact, context: IncidentContext): Lateness {
  const error_s = context.afterOnset(event);
  if (error_s === 0) return { error_s, isChecked: false, cost: 0 };
  const isChecked = context.input.doubts.isVouchedFor(event) || isConfirmedByOthers(event, context);
  const usual_s = isChecked ? ranking.checkedClockSeconds : ranking.uncheckedClockSeconds;
  return { error_s, isChecked, cost: clockErrorCost(error_s, usual_s) };
}

/**
 * How far effects speak for a cause that came late, 0 to 1. Where they came after the first anomaly as well, they show that it
 * happened, and not that it began this incident: if the clocks are right, something else did, and this followed. So they count
 * by the odds that a clock is wrong.
 */
export function inOrder(event: EventFact, effects: readonly EventFact[], context: IncidentContext): number {
  if (context.afterOnset(event) === 0 || effects.some((effect) => context.afterOnset(effect) === 0)) return 1;
  return Math.exp(-latenessOf(event, context).cost);
}
