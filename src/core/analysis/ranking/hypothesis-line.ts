import type { TypedEvidence, TypedHypothesis } from '../../../model/incident/incident.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { type Line, plain, reweighed } from '../evidence/kind.ts';
import { ranking } from './parameters.ts';
import { type Weights, weightOf } from './weights.ts';

/** A possible root cause with its evidence. */
export interface Suspect {
  /** Its event; null if it reported none, or if it is no event. */
  readonly event: EventFact | null;
  readonly subject: TypedHypothesis['subject'];
  readonly type: string;
  readonly lines: readonly Line[];
}

export const logOdds = ({ lines }: Suspect, weights: Weights): number =>
  lines.reduce((sum, { kind, value }) => sum + value * weightOf(weights, kind), 0);

/** undefined: there is none. A device may have more events than a call accepts arguments. */
export function likeliest(suspects: readonly Suspect[], weights: Weights): Suspect | undefined {
  let best: { readonly suspect: Suspect; readonly odds: number } | undefined;
  for (const suspect of suspects) {
    const odds = logOdds(suspect, weights);
    if (!best || odds > best.odds) best = { suspect, odds };
  }
  return best?.suspect;
}

/** What came after the first anomaly is accused by a clock error: that is stated even where it weighs nothing. */
const ALWAYS_SHOWN: ReadonlySet<string> = new Set(['predicted', 'late', 'late_unsure']);

/** The first line is the prior: neither for nor against. */
export function weigh({ lines }: Suspect, weights: Weights): TypedEvidence[] {
  return lines
    .map(({ kind, value, parameters, refs }, i): TypedEvidence => {
      const evidence = { kind: kind.id, parameters: plain(parameters), refs: [...refs] };
      const weighed = reweighed(evidence, value * weightOf(weights, kind));
      return i === 0 ? { ...weighed, sign: 'neutral' } : weighed;
    })
    .filter(({ weight, kind }, i) => i === 0 || Math.abs(weight) >= ranking.leastShownWeight || ALWAYS_SHOWN.has(kind));
}
