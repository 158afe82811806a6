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

/** The first hypothesis and those that cannot be distinguished from it; [] if it leads. @param hypotheses all that are possible, by rank */
export function withTied<H extends { readonly probability: number }>(hypotheses: readonly H[]): H[] {
  const total = hypotheses.reduce((sum, { probability }) => sum + probability, 0);
  // What was ruled out leaves its share to the others.
  const possible = hypotheses.map((one) => ({ one, probability: total > 0 ? one.probability / total : 0 }));
  const tied = tiedWithFirst(possible);
  return tied.length > 0 ? [...possible.slice(0, 1), ...tied].map(({ one }) => one) : [];
}
