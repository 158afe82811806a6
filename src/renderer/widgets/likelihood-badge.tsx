import { formatProbability, likelihood } from '../draw/text/format-value.ts';

/** Never the number alone: 0.52 reads like certainty to someone tired. */
export function LikelihoodBadge({ probability }: { readonly probability: number }) {
  const word = likelihood(probability);
  return (
    <span className={`likelihood ${word}`} title="Probability, calibrated: 0.9 should be right nine times in ten">
      <b>{formatProbability(probability)}</b> {word}
    </span>
  );
}
