import { pairEvidence } from '../../../model/incident/evidence-pairs.ts';
import type { Evidence } from '../../../model/incident/incident.ts';

/** Evidence of one kind from two hypotheses; null where a hypothesis has no evidence of that kind. */
export interface AlignedEvidence {
  readonly left: Evidence | null;
  readonly right: Evidence | null;
  /** Left minus right, in log-odds; missing evidence counts as 0. */
  readonly difference: number;
}

/** Pairs evidence of the same kind, largest difference first. */
export function alignEvidence(left: readonly Evidence[], right: readonly Evidence[]): readonly AlignedEvidence[] {
  const partners = pairEvidence(left, right);
  const paired = new Set(partners.values());
  const rows = left.map((one) => aligned(one, partners.get(one) ?? null));
  const alone = right.filter((other) => !paired.has(other)).map((other) => aligned(null, other));
  return [...rows, ...alone].sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
}

const aligned = (left: Evidence | null, right: Evidence | null): AlignedEvidence => ({
  left,
  right,
  difference: (left?.weight ?? 0) - (right?.weight ?? 0),
});
