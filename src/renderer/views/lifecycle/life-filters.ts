import type { LifeView } from '../../../model/contract/index.ts';
import { isWell, lengthOf } from '../../draw/text/life-text.ts';
import { messages } from './messages.ts';

/** A filter and an order of repairs. */
export interface LifeFilter {
  readonly id: string;
  readonly title: string;
  readonly matches: (life: LifeView) => boolean;
  readonly order: (a: LifeView, b: LifeView) => number;
  /** Shown if no repair matches. */
  readonly none: string;
}

const byStart = (a: LifeView, b: LifeView): number => (a.start_ns < b.start_ns ? -1 : 1);

export const lifeFilters: readonly LifeFilter[] = [
  {
    id: 'all',
    title: messages.filters.all,
    matches: () => true,
    order: byStart,
    none: messages.filters.noRepair,
  },
  {
    id: 'slow',
    title: messages.filters.slow,
    matches: isWell,
    order: (a, b) => lengthOf(b) - lengthOf(a),
    none: messages.filters.noRemediation,
  },
  {
    id: 'not-remediated',
    title: messages.filters.failed,
    matches: (life) => !isWell(life),
    order: byStart,
    none: messages.filters.allRemediated,
  },
];
