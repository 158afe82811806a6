import type { Tokens, TraceCost, TraceServiceCost } from '../../../model/incident/cost.ts';
import type { AffectedGpu } from './affected-gpus.ts';
import { gpuTime, sumOf } from './gpu-time.ts';
import type { Rates } from './rates.ts';
import { gpuRefs } from './request-cost.ts';

/** The requests of one trace to one service. */
export interface TracedService {
  readonly service: string;
  /** That served it meanwhile. */
  readonly gpus: readonly AffectedGpu[];
  readonly requests: number;
  readonly duration_s: number;
  /** Their time, each instant of it divided by the requests that were in the service then. */
  readonly part_s: number;
  readonly tokens: Tokens;
  readonly refs: readonly string[];
}

/**
 * What one trace took of GPUs: at each instant a service's GPUs belong in equal parts to the requests that are in it, so that
 * all requests together never cost more than the GPUs did; while nobody is in it their time is nobody's.
 */
export function traceCost(traced: readonly TracedService[], rates: Rates | null): TraceCost {
  const services = traced
    .map((one) => serviceCost(one, rates))
    .sort((a, b) => (b.gpu_seconds?.high ?? -1) - (a.gpu_seconds?.high ?? -1) || (a.service < b.service ? -1 : 1));
  const known = services.filter(({ gap }) => gap !== 'no_gpus');
  return {
    currency: rates?.currency ?? 'USD',
    services,
    gpu_seconds: sumOf(known.map(({ gpu_seconds }) => gpu_seconds)),
    cost: sumOf(known.map(({ cost }) => cost)),
    gap: known.length === 0 ? 'no_gpus' : (known.find(({ gap }) => gap !== null)?.gap ?? null),
  };
}

function serviceCost(traced: TracedService, rates: Rates | null): TraceServiceCost {
  const { service, requests, duration_s, part_s, tokens, gpus, refs } = traced;
  const time = gpuTime(traced, part_s, rates);
  const counted = tokens === null ? 0 : (tokens.input ?? 0) + (tokens.output ?? 0);
  return {
    service,
    requests,
    duration_s,
    in_flight: part_s > 0 ? duration_s / part_s : null,
    ...time,
    tokens,
    per_1k_tokens:
      time.cost && counted > 0
        ? {
            low: time.cost.low === null ? null : (time.cost.low / counted) * 1000,
            high: (time.cost.high / counted) * 1000,
          }
        : null,
    refs: [...refs, ...gpuRefs(gpus)],
  };
}
