import { supposedText } from '../clocks/clock-text.ts';
import { seconds } from './evidence-text.ts';
import { defineKind } from './kind.ts';

interface Lag {
  /** From the event to the first anomaly; negative when it came after. */
  readonly lag_s: number;
}

const lagText = ({ lag_s }: Lag): string =>
  lag_s < 0 ? `came ${seconds(lag_s)} after the first anomaly` : `${seconds(lag_s)} before the first anomaly`;

export const timing = defineKind<Lag>({ id: 'timing', sign: 1, judgement: 0.6, text: lagText });

export const far = defineKind<Lag & { readonly isFar: boolean }>({
  id: 'far',
  sign: -1,
  judgement: -1,
  least: 2,
  text: ({ isFar, ...lag }) => `${lagText(lag)}${isFar ? ', too early without recorded effects in between' : ''}`,
});

export const late = defineKind<Lag>({ id: 'late', sign: -1, judgement: -0.6, least: 0.4, text: lagText });

export const lateUnsure = defineKind<Lag>({
  id: 'late_unsure',
  sign: -1,
  judgement: -0.4,
  text: (lag) => `${lagText(lag)}, by a clock with no other check`,
});

/** Timestamps that are right only in an assumed time zone. */
export const zoneSupposed = defineKind<{
  readonly of: 'event' | 'effects';
  readonly correction_s: number;
  /** The data source that supports it; null: none. */
  readonly otherSource: string | null;
}>({
  id: 'zone_supposed',
  sign: -1,
  judgement: -2,
  isJudged: true,
  text: ({ of, correction_s, otherSource }) =>
    `only if ${of === 'event' ? 'it was' : 'its effects were'} recorded ${supposedText({ correction_s, otherSource })}`,
});
