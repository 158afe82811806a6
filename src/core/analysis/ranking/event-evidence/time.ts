import type { EventFact } from '../../../store/facts/reader.ts';
import { seconds } from '../../evidence/evidence-text.ts';
import { defineKind, eventRef, type Line, line } from '../../evidence/kind.ts';
import type { IncidentContext } from '../incident-context.ts';
import { ranking } from '../parameters.ts';
import type { EventEvidence } from './event-evidence.ts';
import { latenessOf } from './lateness.ts';

interface Lag {
  /** From the event to the first anomaly; negative when it came after. */
  readonly lag_s: number;
  /** Time between the two samples or polls that show it; left out: its record states its time. */
  readonly apart_s?: number;
}

/** Less is stated as `0 s`. */
const NO_LAG_S = 0.05;

function lagText({ lag_s, apart_s = 0 }: Lag): string {
  if (Math.abs(lag_s) < NO_LAG_S) return 'at the time of the first anomaly';
  if (lag_s >= 0) return `${seconds(lag_s)} before the first anomaly`;
  return apart_s >= -lag_s
    ? `shown by samples ${seconds(apart_s)} apart, the second of them ${seconds(lag_s)} after the first anomaly`
    : `came ${seconds(lag_s)} after the first anomaly`;
}

const timing = defineKind<Lag>({ id: 'timing', sign: 1, judgement: 0.6, text: lagText });

const far = defineKind<Lag & { readonly isFar: boolean }>({
  id: 'far',
  sign: -1,
  judgement: -1,
  least: 1.8,
  text: ({ isFar, ...lag }) => `${lagText(lag)}${isFar ? ', too early without recorded effects in between' : ''}`,
});

interface Late extends Lag {
  /** Least error of a clock by which it would be in order. */
  readonly error_s: number;
}

const lateText = (late: Late): string =>
  `${lagText(late)}: possible only if its clock is off by ${seconds(late.error_s)}`;

/** Its value is the cost of a clock error ({@link latenessOf}): by fitted weights 25 s cost next to nothing. */
const late = defineKind<Late>({
  id: 'late',
  sign: -1,
  judgement: -1,
  isJudged: true,
  text: (lag) => `${lateText(lag)}, though other records show that it is right`,
});

const lateUnsure = defineKind<Late>({
  id: 'late_unsure',
  sign: -1,
  judgement: -1,
  isJudged: true,
  text: (lag) => `${lateText(lag)}, which no other record checks`,
});

/** Heat harms minutes after its cause: what may take long is neither near nor far for as much longer. */
function neutralSeconds({ type }: EventFact, context: IncidentContext): number {
  const most = context.harmOf(type)?.delay_s[1] ?? 0;
  return Math.max(ranking.neutralSeconds, ranking.slowShare * most);
}

export function timeLines(event: EventFact, context: IncidentContext): Line[] {
  const refs = [eventRef(event)];
  const lag_s = context.lagOf(event);
  const { error_s, isChecked, cost } = latenessOf(event, context);
  if (error_s > 0) return [line(isChecked ? late : lateUnsure, cost, { lag_s, error_s }, refs)];
  const gap = context.gap(event);
  const neutral = neutralSeconds(event, context);
  const distance = Math.min(ranking.mostDistance, Math.max(0, Math.log(gap / neutral)));
  const isFar = gap > Math.max(ranking.nearSeconds, neutral);
  if (distance > 0) return [line(far, distance, { lag_s, isFar }, refs)];
  const apart_s = context.input.doubts.seenLate_s(event);
  const lag = lag_s < 0 && apart_s > 0 ? { lag_s, apart_s } : { lag_s };
  return [line(timing, Math.max(0, 1 - gap / neutral), lag, refs)];
}

export const timeEvidence: EventEvidence = {
  kinds: [timing, far, late, lateUnsure],
  find: ({ event }, context) => timeLines(event, context),
};
