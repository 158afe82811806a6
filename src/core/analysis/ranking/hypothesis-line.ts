import type { TypedEvidence, TypedHypothesis } from '../../../model/incident/incident.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { type Line, plain, reweighed } from '../evidence/kind.ts';
import { type Weights, weightOf } from './weights.ts';

/** A possible cause with all that speaks for and against it. */
export interface Suspect {
  /** The event in which it shows; null when it said nothing, or is none. */
  readonly event: EventFact | null;
  readonly subject: TypedHypothesis['subject'];
  readonly type: string;
  readonly lines: readonly Line[];
}

export const logOdds = ({ lines }: Suspect, weights: Weights): number =>
  lines.reduce((sum, { kind, value }) => sum + value * weightOf(weights, kind), 0);

/** Evidence too small to show changes nothing that people decide; how far the effects reach is shown in any case. */
const LEAST_SHOWN = 0.02;
const ALWAYS_SHOWN = 'predicted';

/** The first line is where the log-odds began, and speaks neither for nor against. */
export function weigh({ lines }: Suspect, weights: Weights): TypedEvidence[] {
  return lines
    .map(({ kind, value, parameters, refs }, i): TypedEvidence => {
      const evidence = { kind: kind.id, parameters: plain(parameters), refs: [...refs] };
      const weighed = reweighed(evidence, value * weightOf(weights, kind));
      return i === 0 ? { ...weighed, sign: 'neutral' } : weighed;
    })
    .filter(({ weight, kind }, i) => i === 0 || Math.abs(weight) >= LEAST_SHOWN || kind === ALWAYS_SHOWN);
}
