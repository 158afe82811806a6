import { pairEvidence } from '../../../model/incident/evidence-pairs.ts';
import type { TypedEvidence, TypedHypothesis } from '../../../model/incident/incident.ts';
import { tiedWithFirst } from '../../../model/incident/tied-hypotheses.ts';
import type { LineChange, Move, RankingChange, Verdict } from '../../../model/incident/what-if.ts';
import { evidenceText } from '../evidence/index.ts';
import type { TypedIncident } from '../written-incident.ts';
import { ranking } from './parameters.ts';

/**
 * Effect of a what-if on one incident.
 * @param supposed the what-if as text, `without the power layer`
 */
export function compareRankings(before: TypedIncident, after: TypedIncident, supposed: string): RankingChange {
  const moves = [...pairs(before.hypotheses, after.hypotheses)]
    .map(([old, now]) => move(old, now))
    .filter(isMoved)
    .sort((a, b) => most(b) - most(a));
  const verdicts = { before: verdictOf(before), after: verdictOf(after) };
  const is_verdict_changed = keyOf(verdicts.before) !== keyOf(verdicts.after);
  const is_changed = is_verdict_changed || moves.length > 0;
  return {
    incident: after.id,
    sentence: sentence({ supposed, is_changed, is_verdict_changed, tied: tiedWithFirst(after.hypotheses) }, verdicts),
    is_changed,
    is_verdict_changed,
    verdict_before: verdicts.before,
    verdict_after: verdicts.after,
    moves,
  };
}

function verdictOf({ hypotheses: [first] }: TypedIncident): Verdict | null {
  return first ? { subject: first.subject, type: first.type, probability: first.probability } : null;
}

type Keyed = Pick<TypedHypothesis, 'subject' | 'type'>;
const keyOf = (one: Keyed | null): string => (one ? `${one.subject?.kind} ${one.subject?.id} ${one.type}` : '');

/** Each with its earlier state, then those that are gone. */
function* pairs(
  before: readonly TypedHypothesis[],
  after: readonly TypedHypothesis[],
): Generator<[TypedHypothesis | null, TypedHypothesis | null], void, undefined> {
  const old = Map.groupBy(before, keyOf);
  for (const now of after) yield [old.get(keyOf(now))?.shift() ?? null, now];
  for (const left of [...old.values()].flat()) yield [left, null];
}

function move(before: TypedHypothesis | null, after: TypedHypothesis | null): Move {
  const { subject, type } = (after ?? before) as TypedHypothesis;
  return {
    subject,
    type,
    rank_before: before?.rank ?? null,
    rank_after: after?.rank ?? null,
    probability_before: before?.probability ?? null,
    probability_after: after?.probability ?? null,
    evidence: before && after ? lineChanges(before.evidence, after.evidence) : [],
  };
}

const most = (one: Move): number => Math.max(one.probability_before ?? 0, one.probability_after ?? 0);

function isMoved({ rank_before, rank_after, probability_before, probability_after, evidence }: Move): boolean {
  if (rank_before !== rank_after || evidence.length > 0) return true;
  return Math.abs((probability_before ?? 0) - (probability_after ?? 0)) >= ranking.roundingDifference;
}

function lineChanges(before: readonly TypedEvidence[], after: readonly TypedEvidence[]): LineChange[] {
  const old = pairEvidence(after, before);
  const remaining = new Set(old.values());
  const changes = after.flatMap((now): LineChange[] => {
    const was = old.get(now);
    const [text, refs] = [evidenceText(now), now.refs];
    const weights = { weight_before: was?.weight ?? null, weight_after: now.weight };
    if (!was) return [{ change: 'appeared', text, ...weights, refs }];
    if (evidenceText(was) === text && Math.abs(was.weight - now.weight) < ranking.roundingDifference) return [];
    return [{ change: 'changed', text, ...weights, refs }];
  });
  const vanished = before
    .filter((one) => !remaining.has(one))
    .map((one): LineChange => {
      const { weight, refs } = one;
      return { change: 'vanished', text: evidenceText(one), weight_before: weight, weight_after: null, refs };
    });
  return [...changes, ...vanished];
}

interface WhatIfSummary {
  readonly supposed: string;
  readonly is_changed: boolean;
  readonly is_verdict_changed: boolean;
  /** Hypotheses that cannot be distinguished from the first one afterwards. */
  readonly tied: readonly Keyed[];
}

function sentence(
  { supposed, is_changed, is_verdict_changed, tied }: WhatIfSummary,
  { before, after }: { readonly before: Verdict | null; readonly after: Verdict | null },
): string {
  if (is_changed && tied.length > 0)
    return `${supposed} the verdict is undecided between ${listText([after, ...tied].map(reading))}, each at about ${figure(after)}; it was ${reading(before)} at ${figure(before)}`;
  if (!is_changed) return `${supposed} nothing changes: ${reading(after)} at ${figure(after)}`;
  if (is_verdict_changed)
    return `${supposed} the verdict changes to ${reading(after)} at ${figure(after)}, from ${reading(before)} at ${figure(before)}`;
  const [was, is] = [figure(before), figure(after)];
  const moved = was === is ? `still at ${is}, on other evidence` : `from ${was} to ${is}`;
  return `${supposed} the verdict stays: ${reading(after)}, ${moved}`;
}

const figure = (verdict: Verdict | null): string => (verdict?.probability ?? 0).toFixed(2);

/** More names than a sentence holds. */
const MOST_TIED = 3;

function listText(texts: readonly string[]): string {
  const shown = texts.length > MOST_TIED ? [...texts.slice(0, MOST_TIED), `${texts.length - MOST_TIED} more`] : texts;
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

function reading(verdict: Keyed | null): string {
  if (!verdict) return 'no hypothesis';
  const type = verdict.type.replaceAll('_', ' ');
  return verdict.subject ? `${type} on ${verdict.subject.id}` : type;
}
