import type { MeasuredPart, ServingStage } from '../../../model/telemetry/serving-stages.ts';

/** The mean of one part of all requests of a service and model in a time, as a metric states it. */
export interface MeasuredMean {
  readonly requests: number;
  /** Seconds. */
  readonly mean_s: number;
  /** A sample. */
  readonly ref: string;
}

export interface MeasuredStage {
  readonly stage: ServingStage;
  readonly requests: number;
  readonly mean_s: number;
  /** A difference of two means. */
  readonly computed: boolean;
  readonly refs: readonly string[];
}

/** Two metrics that count further apart are not of the same requests: some servers measure first tokens of streamed answers only. */
const SAME_SHARE = 0.02;
const stated = ['preprocess', 'queue', 'prefill', 'decode', 'postprocess'] as const;

/**
 * The stages of a request by means of all requests. What a server does not state follows where two of its metrics are of the same
 * requests: prefill is the first token without the queue, decode is the request without the first token. The run of the model as a whole,
 * and all until the first token, are stages only where nothing states their parts.
 */
export function stagesOfMeans(means: ReadonlyMap<MeasuredPart, MeasuredMean>): MeasuredStage[] {
  const stages = stated.flatMap((stage) => direct(stage, means.get(stage)));
  const isKnown = (stage: ServingStage): boolean => stages.some((one) => one.stage === stage);
  if (isKnown('prefill') || isKnown('decode')) return stages;
  const inference = direct('inference', means.get('inference'));
  if (inference.length > 0) return [...stages, ...inference];
  const first = means.get('first_token');
  if (!first) return stages;
  const prefill = difference('prefill', first, means.get('queue'));
  const decode = difference('decode', means.get('request'), first);
  // What comes before the first token is in it.
  const around = stages.filter(({ stage }) => stage === 'postprocess' || (stage === 'queue' && prefill.length > 0));
  return [...around, ...(prefill.length > 0 ? prefill : direct('first_token', first)), ...decode];
}

const direct = (stage: ServingStage, mean: MeasuredMean | undefined): MeasuredStage[] =>
  mean ? [{ stage, requests: mean.requests, mean_s: mean.mean_s, computed: false, refs: [mean.ref] }] : [];

/** Empty where either is unknown, they are of different requests, or the whole is shorter than its part. */
function difference(
  stage: ServingStage,
  whole: MeasuredMean | undefined,
  part: MeasuredMean | undefined,
): MeasuredStage[] {
  if (!whole || !part || whole.mean_s < part.mean_s) return [];
  if (Math.abs(whole.requests - part.requests) > SAME_SHARE * Math.max(whole.requests, part.requests)) return [];
  const refs = [whole.ref, part.ref];
  return [{ stage, requests: whole.requests, mean_s: whole.mean_s - part.mean_s, computed: true, refs }];
}
