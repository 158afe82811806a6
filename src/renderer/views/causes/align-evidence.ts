import type { Evidence } from '../../../model/incident.ts';

/** Evidence of two hypotheses of the same kind, beside each other; null where one has nothing of that kind. */
export interface AlignedEvidence {
  readonly left: Evidence | null;
  readonly right: Evidence | null;
  /** Left minus right, in log-odds; what is not there weighs nothing. */
  readonly difference: number;
}

/** Words that say what kind of evidence it is: names, figures and types of events differ from one to the next. */
const kindWords = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .replace(/ and \d+ more\b/, '')
      .split(/[\s,;:()]+/)
      .filter((word) => /^[a-z']+$/.test(word)),
  );

/** Types of events in it, such as `psu_failover`. */
const typeWords = (text: string): ReadonlySet<string> => new Set(text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []);

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Half of the words must be the same, so that a sentence of another kind is never taken for the same. */
const LEAST_ALIKE = 0.5;
/** Decides between sentences of the same kind only. */
const SAME_TYPE = 0.5;

const likeness = (one: Evidence, other: Evidence): number => {
  const words = overlap(kindWords(one.text), kindWords(other.text));
  return words < LEAST_ALIKE ? 0 : words + SAME_TYPE * overlap(typeWords(one.text), typeWords(other.text));
};

const restsOnMechanism = ({ refs }: Evidence): boolean =>
  refs.length > 0 && refs.every((ref) => ref.startsWith('mechanism:'));

/**
 * Puts what speaks of the same beside each other: the most alike sentences first; then what is left that rests on what
 * is known of each type. The lines that tell the two apart most stand first.
 */
export function alignEvidence(left: readonly Evidence[], right: readonly Evidence[]): readonly AlignedEvidence[] {
  const rightOf = new Map<Evidence, Evidence>();
  const taken = new Set<Evidence>();
  const pair = (one: Evidence, other: Evidence): void => {
    if (rightOf.has(one) || taken.has(other)) return;
    rightOf.set(one, other);
    taken.add(other);
  };
  const alike = left
    .flatMap((one) => right.map((other) => ({ one, other, likeness: likeness(one, other) })))
    .filter((each) => each.likeness > 0)
    .sort((a, b) => b.likeness - a.likeness);
  for (const { one, other } of alike) pair(one, other);
  const known = right.filter((other) => !taken.has(other) && restsOnMechanism(other));
  for (const one of left.filter((each) => !rightOf.has(each) && restsOnMechanism(each))) {
    const other = known.shift();
    if (other) pair(one, other);
  }
  const rows = left.map((one) => aligned(one, rightOf.get(one) ?? null));
  const alone = right.filter((other) => !taken.has(other)).map((other) => aligned(null, other));
  return [...rows, ...alone].sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
}

const aligned = (left: Evidence | null, right: Evidence | null): AlignedEvidence => ({
  left,
  right,
  difference: (left?.weight ?? 0) - (right?.weight ?? 0),
});
