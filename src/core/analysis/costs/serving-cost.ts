import type { ServingCostLine, ServingService } from '../../../model/contract/costs.ts';
import type { CostRange } from '../../../model/incident/cost.ts';
import type { AffectedGpu } from './affected-gpus.ts';
import { gpuTime } from './gpu-time.ts';
import type { Rates } from './rates.ts';

/** Requests of a service that have a value of a dimension in common. */
export interface RequestShare {
  readonly service: string;
  readonly dimension: ServingCostLine['dimension'];
  readonly value: string | null;
  readonly requests: number;
  /** The same, each by the share of its time within the window: as its tokens count. */
  readonly within_n: number;
  /** Their time, each instant divided by the number of concurrent requests in the service. */
  readonly part_s: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** Part of the requests that state tokens. */
  readonly counted_s: number;
}

const over = (range: CostRange | null, count: number): CostRange | null =>
  range === null || count <= 0
    ? null
    : { low: range.low === null ? null : range.low / count, high: range.high / count };

/** GPU time and cost of some requests, by the rule of {@link traceCost}: idle time belongs to none of them. */
export function shareCost(share: RequestShare, gpus: readonly AffectedGpu[], rates: Rates | null): ServingCostLine {
  const { service, dimension, value, requests, within_n, part_s, counted_s, input_tokens, output_tokens } = share;
  const { gpu_seconds, cost } = gpuTime({ service, gpus }, part_s, rates);
  const counted = gpuTime({ service, gpus }, counted_s, rates).cost;
  return {
    ...{ service, dimension, value, requests, gpu_seconds, cost, input_tokens, output_tokens },
    per_request: over(cost, within_n),
    per_1k_tokens: over(counted, ((input_tokens ?? 0) + (output_tokens ?? 0)) / 1000),
  };
}

/** @param busy_s recorded time of the window in which the service had a request */
export function servingOf(
  service: string,
  { busy_s, window_s }: { readonly busy_s: number; readonly window_s: number },
  gpus: readonly AffectedGpu[],
  rates: Rates | null,
): ServingService {
  const idle_s = Math.max(0, window_s - busy_s);
  const idle = gpuTime({ service, gpus }, idle_s, rates);
  const types = Map.groupBy(gpus, ({ model }) => model);
  return {
    service,
    gpus: idle.gpus,
    shared_gpus: idle.shared_gpus,
    gpu_types: [...types].map(([model, of]) => ({ model, gpus: of.length, rate: rates?.of(model) ?? null })),
    idle_share: window_s > 0 ? idle_s / window_s : 0,
    idle_cost: idle.cost,
    gap: idle.gap,
  };
}
