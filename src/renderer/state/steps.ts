import { nanos } from '../../model/time.ts';
import { select, useFocus } from './focus.ts';
import { incidentOf } from './known.ts';

/** Moves along the chain of the selected incident and stops at its ends. */
export function stepThroughChain(by: 1 | -1): void {
  const { incident, selected } = useFocus.getState();
  const steps = incidentOf(incident)?.steps ?? [];
  const at = steps.findIndex((step) => step.ref === selected);
  const next = steps[at < 0 ? (by > 0 ? 0 : steps.length - 1) : Math.min(Math.max(at + by, 0), steps.length - 1)];
  if (next) select(next.ref, nanos(next.time_ns));
}
