import { nanos } from '../../model/time.ts';
import { useCase } from './case-state.ts';
import { select, useFocus } from './focus.ts';

/** Moves along the chain of the selected incident and stops at its ends. */
export function stepThroughChain(by: 1 | -1): void {
  const { incident, selected } = useFocus.getState();
  const steps = useCase.getState().incidents?.find((view) => view.incident.id === incident)?.steps ?? [];
  const at = steps.findIndex((step) => step.ref === selected);
  const next = steps[at < 0 ? (by > 0 ? 0 : steps.length - 1) : Math.min(Math.max(at + by, 0), steps.length - 1)];
  if (next) select(next.ref, nanos(next.time_ns));
}
