import type { Conclusion } from '../../src/core/analysis/conclude.ts';
import { investigate } from '../../src/core/analysis/correlate.ts';
import { fittedWeights, type Weights } from '../../src/core/analysis/ranking/weights.ts';
import type { Reader } from '../../src/core/store/facts/reader.ts';
import type { TypedHypothesis } from '../../src/model/incident/incident.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';
import { type BaselineAnswer, correlateAsSeed } from '../baseline/engine.ts';

/** Answer of an engine on one window of one service. */
export interface Answer {
  readonly service: string;
  readonly onset_ns: bigint;
  readonly end_ns: bigint;
  /** Best first. */
  readonly hypotheses: readonly TypedHypothesis[];
  /** Cause and effect by `original_id`. */
  readonly chain: readonly (readonly [cause: string, effect: string])[];
  /** Of the same links, and of the last one, to the service (null), those whose probability the engine states. */
  readonly links: readonly { readonly cause: string; readonly effect: string | null; readonly probability: number }[];
  /** Layers that the answer lists as not recorded. */
  readonly missing_layers: readonly string[];
}

export type Engine<T extends Answer = Answer> = (reader: Reader) => Promise<readonly T[]>;

const options = correlateOptionsSchema.parse({});

/** An answer of the correlator with all that it was made of. */
export interface ConcludedAnswer extends Answer {
  readonly conclusion: Conclusion;
}

/** The correlator of `src/core/analysis` with the options that users get, and other weights than theirs. */
export const correlatorWith =
  (weights: Weights): Engine<ConcludedAnswer> =>
  async (reader) => {
    const { conclusions } = await investigate(reader, options, { weights });
    return conclusions.map((conclusion): ConcludedAnswer => {
      const { incident, window, service } = conclusion;
      const steps = incident.causal_chain.filter(({ type }) => type !== 'trace_degradation');
      return {
        service,
        onset_ns: window.onset_ns,
        end_ns: window.end_ns,
        hypotheses: incident.hypotheses,
        chain: steps.flatMap(({ event_id, caused_by }) => (caused_by === null ? [] : [[caused_by, event_id] as const])),
        links: incident.causal_chain.flatMap(({ event_id, caused_by, type, probability }) => {
          const effect = type === 'trace_degradation' ? null : event_id;
          return caused_by === null || probability === null ? [] : [{ cause: caused_by, effect, probability }];
        }),
        missing_layers: conclusion.missing_layers,
        conclusion,
      };
    });
  };

export const correlator: Engine<ConcludedAnswer> = (reader) => correlatorWith(fittedWeights())(reader);

/** The seed's engine; its confidence stands for the probability of its root, and the others share the rest. */
export const baseline: Engine = async (reader) => (await correlateAsSeed(reader, options)).map(toAnswer);

function toAnswer({ suspects, chain, confidence, ...rest }: BaselineAnswer): Answer {
  const others = Math.max(1, suspects.length - 1);
  const hypotheses = suspects.map(
    ({ event, kind, id }, i): TypedHypothesis => ({
      rank: i + 1,
      probability: i === 0 ? confidence : Math.min(confidence, (1 - confidence) / others),
      subject: { kind, id },
      event_id: event.original_id,
      type: event.type,
      metric: null,
      evidence: [],
    }),
  );
  const none: TypedHypothesis = {
    rank: 1,
    probability: 1,
    subject: null,
    event_id: null,
    type: 'no_physical_cause',
    metric: null,
    evidence: [],
  };
  return {
    ...rest,
    hypotheses: hypotheses.length > 0 ? hypotheses : [none],
    links: [],
    missing_layers: [],
    chain: chain.slice(1).map((event, i) => [chain[i]!.original_id, event.original_id] as const),
  };
}
