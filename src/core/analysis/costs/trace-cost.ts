import type { Tokens, TraceCost, TraceServiceCost } from '../../../model/incident/cost.ts';
import type { AffectedGpu } from './affected-gpus.ts';
import { gpuTime, sumOf } from './gpu-time.ts';
import type { Rates } from './rates.ts';
import { gpuRefs } from './request-cost.ts';

/** The requests of one trace to one service. */
export interface TracedService {
  readonly service: string;
  /** Its GPUs during that time. */
  readonly gpus: readonly AffectedGpu[];
  readonly requests: number;
  readonly duration_s: number;
  /** Their time, each instant divided by the number of concurrent requests in the service. */
  readonly part_s: number;
  readonly tokens: Tokens;
  readonly refs: readonly string[];
}

/**
 * GPU time of one trace: at each instant the GPUs of a service are divided equally among its concurrent requests, so the sum
 * over all requests never exceeds the GPU time; idle time is not assigned.
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
