import type { Difference, Differences } from '../../../model/contract/differences.ts';
import { cliffsDelta, type RankSums, rankChance } from './number-test.ts';
import { differences } from './parameters.ts';
import { type ShareCounts, type ShareTotals, shareChance } from './share-test.ts';

/** A tested difference, before correction for the number of tests. */
export type Candidate = Omit<Difference, 'q' | 'also' | 'values' | 'like'>;

/** Result of comparing one kind of record. */
export interface Comparison {
  readonly candidates: readonly Candidate[];
  readonly compared: Differences['compared'];
  readonly left_out: Differences['left_out'];
}

export interface SharePart extends ShareCounts {
  readonly region_groups: number;
  readonly baseline_groups: number;
}

type Named = Pick<Candidate, 'population' | 'attribute' | 'value'> & Partial<Pick<Candidate, 'entity'>>;

const idOf = ({ population, attribute, value }: Named): string => `${population} ${attribute} ${value}`;

/** A value that occurs in a share of the rows of each side. */
export function shareCandidate(named: Named, part: SharePart, all: ShareTotals): Candidate {
  const region = all.region === 0 ? 0 : part.region / all.region;
  const baseline = all.baseline === 0 ? 0 : part.baseline / all.baseline;
  return {
    entity: null,
    across: null,
    ...named,
    id: idOf(named),
    measure: 'share',
    unit: '',
    region: { rows: part.region, of: all.region, groups: part.region_groups, value: region },
    baseline: { rows: part.baseline, of: all.baseline, groups: part.baseline_groups, value: baseline },
    effect: region - baseline,
    ratio: baseline === 0 ? null : region / baseline,
    deviations: null,
    spread: null,
    p: shareChance(part, all),
    is_thin: part.region_groups + part.baseline_groups < differences.thinGroups,
  };
}

export interface NumberPart extends RankSums {
  readonly region_median: number;
  readonly baseline_median: number;
  readonly spread: Difference['spread'];
}

/** A number, compared by ranks; one value per group. */
export function numberCandidate(named: Named, unit: string, part: NumberPart): Candidate {
  const side = (count: number, value: number) => ({ rows: count, of: count, groups: count, value });
  const isRatio = part.baseline_median > 0 && part.region_median >= 0;
  return {
    entity: null,
    across: null,
    ...named,
    id: idOf(named),
    measure: 'number',
    unit,
    region: side(part.region, part.region_median),
    baseline: side(part.baseline, part.baseline_median),
    effect: cliffsDelta(part),
    ratio: isRatio ? part.region_median / part.baseline_median : null,
    deviations: null,
    spread: part.spread,
    p: rankChance(part),
    is_thin: Math.min(part.region, part.baseline) < differences.thinGroups,
  };
}
