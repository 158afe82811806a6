import { type Annotation, type AnnotationOf, hypothesisKey } from './annotation.ts';
import type { Hypothesis, Incident } from './incident.ts';
import { withTied } from './tied-hypotheses.ts';

/** A hypothesis with what the investigator judged about it. */
export interface JudgedHypothesis {
  readonly hypothesis: Hypothesis;
  /** '' where no reason was given. */
  readonly reason: string;
  /** Id of the annotation. */
  readonly annotation: string;
}

/** The verdict of an incident with the investigator's judgements in front of the computed one. */
export interface JudgedVerdict {
  /** The hypothesis that was confirmed last. */
  readonly confirmed: JudgedHypothesis | null;
  /** Hypotheses that were ruled out, in the order of their ranks. */
  readonly ruledOut: readonly JudgedHypothesis[];
  /** The first hypothesis by rank, whatever was judged. */
  readonly computed: Hypothesis | null;
  /** What to name as the cause: the confirmed hypothesis, or the first that was not ruled out. */
  readonly leading: Hypothesis | null;
  /** Leading with those that cannot be distinguished from it, by rank; [] if it leads alone, or is confirmed. */
  readonly undecided: readonly Hypothesis[];
  /** The computed verdict is not the one to name: ruled out, or another one is confirmed. */
  readonly isOverruled: boolean;
}

/** Joins the hypotheses of an incident with the judgements among the annotations; of two about one hypothesis the later counts. */
export function judgedVerdict(
  { id, hypotheses }: Pick<Incident, 'id' | 'hypotheses'>,
  annotations: readonly Annotation[],
): JudgedVerdict {
  const byKey = new Map<string, AnnotationOf<'judgement'>>();
  for (const one of annotations)
    if (one.kind === 'judgement' && one.incident === id) {
      // Deleting first keeps the map in the order of the last judgements.
      byKey.delete(one.hypothesis);
      byKey.set(one.hypothesis, one);
    }
  const judged = (judgement: 'accepted' | 'rejected'): JudgedHypothesis[] =>
    hypotheses.flatMap((hypothesis) => {
      const one = byKey.get(hypothesisKey(hypothesis.subject, hypothesis.type));
      return one?.judgement === judgement ? [{ hypothesis, reason: one.text.trim(), annotation: one.id }] : [];
    });
  const lastConfirmed = [...byKey.values()].findLast(({ judgement }) => judgement === 'accepted');
  const confirmed = judged('accepted').find(({ annotation }) => annotation === lastConfirmed?.id) ?? null;
  const ruledOut = judged('rejected');
  const out = new Set(ruledOut.map(({ hypothesis }) => hypothesis));
  const computed = hypotheses[0] ?? null;
  const leading = confirmed?.hypothesis ?? hypotheses.find((hypothesis) => !out.has(hypothesis)) ?? null;
  const open = confirmed ? [] : hypotheses.filter((hypothesis) => !out.has(hypothesis));
  const undecided = withTied(open);
  return { confirmed, ruledOut, computed, leading, undecided, isOverruled: leading !== computed };
}
