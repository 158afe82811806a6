import { formatProbability, likelihood } from '../draw/text/format-value.ts';
import { messages } from './messages.ts';

/** Never only the number: 0.52 looks more certain than it is. */
export function LikelihoodBadge({ probability }: { readonly probability: number }) {
  const word = likelihood(probability);
  return (
    <span className={`likelihood ${word}`} title={messages.calibrated}>
      <b>{formatProbability(probability)}</b> {word}
    </span>
  );
}
