import type { TypedHypothesis } from '../../../model/incident/incident.ts';
import type { Warning } from '../warnings/warning.ts';

const isDevice = ({ subject }: TypedHypothesis): boolean => subject !== null && subject.kind !== 'service';
/** "Not enough evidence" speaks neither for a device nor for software. */
const isSoftware = (one: TypedHypothesis): boolean => !isDevice(one) && one.type !== 'insufficient_evidence';

/** Together, 0 to 1. */
export const sum = (hypotheses: readonly TypedHypothesis[]): number =>
  hypotheses.reduce((total, { probability }) => total + probability, 0);

/**
 * Most probable first, but no device before the answers without one if software is more probable than all devices together. The
 * probability of software is divided among as many suspects as were found, and that must not bring a device to the first place.
 */
export function ordered(hypotheses: readonly TypedHypothesis[]): TypedHypothesis[] {
  const sorted = hypotheses.toSorted((a, b) => b.probability - a.probability);
  const [devices, others] = [sorted.filter(isDevice), sorted.filter((one) => !isDevice(one))];
  const first = sum(devices) < sum(sorted.filter(isSoftware)) ? others[0] : sorted[0];
  return [...sorted]
    .sort((a, b) => Number(b === first) - Number(a === first))
    .map((one, i) => ({ ...one, rank: i + 1 }));
}

/** Why the first hypothesis is not the most probable one, if it is not. */
export function orderWarning(hypotheses: readonly TypedHypothesis[]): Warning[] {
  const [first] = hypotheses;
  if (!first || hypotheses.every(({ probability }) => probability <= first.probability)) return [];
  return [
    {
      kind: 'no_device_first',
      devices: sum(hypotheses.filter(isDevice)),
      software: sum(hypotheses.filter(isSoftware)),
    },
  ];
}
