import type { LifeView } from '../../../model/contract/index.ts';
import { isWell, lengthOf } from '../../draw/text/life-text.ts';

/** What people ask of repairs: some of the lives, in an order. */
export interface LifeFilter {
  readonly id: string;
  readonly title: string;
  readonly matches: (life: LifeView) => boolean;
  readonly order: (a: LifeView, b: LifeView) => number;
  /** Where none is left. */
  readonly none: string;
}

const byStart = (a: LifeView, b: LifeView): number => (a.start_ns < b.start_ns ? -1 : 1);

export const lifeFilters: readonly LifeFilter[] = [
  {
    id: 'all',
    title: 'All',
    matches: () => true,
    order: byStart,
    none: 'No repair of a node was recorded.',
  },
  {
    id: 'slow',
    title: 'Slow remediation',
    matches: isWell,
    order: (a, b) => lengthOf(b) - lengthOf(a),
    none: 'No remediation came to its end in what was recorded.',
  },
  {
    id: 'not-remediated',
    title: 'Why not remediated',
    matches: (life) => !isWell(life),
    order: byStart,
    none: 'Every repair that was recorded came to a good end.',
  },
];
