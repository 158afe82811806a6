import type { TypedHypothesis } from '../../../model/incident/incident.ts';
import type { Warning } from '../warnings/warning.ts';

const isDevice = ({ subject }: TypedHypothesis): boolean => subject !== null && subject.kind !== 'service';

/** Together, 0 to 1. */
export const sum = (hypotheses: readonly TypedHypothesis[]): number =>
  hypotheses.reduce((total, { probability }) => total + probability, 0);

/**
 * Most probable first, but no device before the answers without one if these are more probable together. Their probability is divided
 * among software, of which there are as many suspects as were found, and "not enough evidence", and that must not bring a device to the
 * first place: a wrong accusation costs a repair, an open verdict another look.
 */
export function ordered(hypotheses: readonly TypedHypothesis[]): TypedHypothesis[] {
  const sorted = hypotheses.toSorted((a, b) => b.probability - a.probability);
  const others = sorted.filter((one) => !isDevice(one));
  const first = sorted[0] && sorted[0].probability < sum(others) ? others[0] : sorted[0];
  return [...sorted]
    .sort((a, b) => Number(b === first) - Number(a === first))
    .map((one, i) => ({ ...one, rank: i + 1 }));
}

/** Why the first hypothesis is not the most probable one, if it is not. */
export function orderWarning(hypotheses: readonly TypedHypothesis[]): Warning[] {
  const [first] = hypotheses;
  const best = hypotheses.reduce((most, one) => (one.probability > most.probability ? one : most), first!);
  if (!first || best.probability <= first.probability) return [];
  const others = sum(hypotheses.filter((one) => !isDevice(one)));
  return [{ kind: 'no_device_first', device: best.probability, others }];
}
