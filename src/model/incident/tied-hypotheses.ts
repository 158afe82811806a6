/** First hypotheses that are this close cannot be distinguished. */
const TIED_WITHIN = 0.1;
/** From here on the first hypothesis is ahead of all others together. */
const DECIDED_FROM = 0.6;

/** The hypotheses that cannot be distinguished from the first one, without the first one; [] if the first one leads. @param hypotheses by rank */
export function tiedWithFirst<H extends { readonly probability: number }>(hypotheses: readonly H[]): H[] {
  const [first, ...others] = hypotheses;
  if (!first || first.probability >= DECIDED_FROM) return [];
  return others.filter(({ probability }) => first.probability - probability < TIED_WITHIN);
}
