import type { TypedEvidence } from './incident.ts';

type Kinded = Pick<TypedEvidence, 'kind' | 'parameters'>;

/** From the surest likeness to the least: the same in all, about the same type of event, of the same kind. */
const likenesses: readonly ((one: Kinded) => string)[] = [
  ({ parameters }) => JSON.stringify(parameters),
  ({ parameters }) => String(parameters['type'] ?? ''),
  () => '',
];

/** All hypotheses begin somewhere: their priors stand beside each other. */
const groupOf = ({ kind }: Kinded): string => (kind.startsWith('prior_') ? 'prior' : kind);

/**
 * Evidence of the same kind in two lists, such as those of two hypotheses, or of one before and after a change.
 * @returns the partner of each on the left that has one; nothing is taken twice
 */
export function pairEvidence<T extends Kinded>(left: readonly T[], right: readonly T[]): ReadonlyMap<T, T> {
  const partners = new Map<T, T>();
  const taken = new Set<T>();
  for (const likeness of likenesses) {
    const keyOf = (one: T): string => `${groupOf(one)} ${likeness(one)}`;
    const free = Map.groupBy(
      right.filter((one) => !taken.has(one)),
      keyOf,
    );
    for (const one of left) {
      const partner = partners.has(one) ? undefined : free.get(keyOf(one))?.shift();
      if (!partner) continue;
      partners.set(one, partner);
      taken.add(partner);
    }
  }
  return partners;
}
