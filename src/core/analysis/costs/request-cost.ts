import type { RequestCost } from '../../../model/incident/cost.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import type { AffectedGpu } from './affected-gpus.ts';
import { gpuTime } from './gpu-time.ts';
import type { Rates } from './rates.ts';

/** A service at one time. */
export interface ServedInstant {
  readonly time_ns: bigint;
  /** Its GPUs at that time. */
  readonly gpus: readonly AffectedGpu[];
  /** Requests a second; null is unknown. */
  readonly throughput_rps: number | null;
  /** Evidence for the throughput. */
  readonly refs: readonly string[];
}

/** Maximum number of entity refs. */
const MOST_REFS = 4;

export const gpuRefs = (gpus: readonly AffectedGpu[]): string[] =>
  gpus.slice(0, MOST_REFS).map(({ key }) => `entity:${key}`);

/** GPUs of a service are paid for in any case: fewer responses make each more expensive. */
export function requestCost(
  service: string,
  { time_ns, gpus, throughput_rps, refs }: ServedInstant,
  rates: Rates | null,
): RequestCost {
  const seconds = throughput_rps === null ? 'no_throughput' : throughput_rps > 0 ? 1 / throughput_rps : 'no_requests';
  return {
    time: formatUtc(nanos(time_ns)),
    throughput_rps,
    ...gpuTime({ service, gpus }, seconds, rates),
    refs: [...refs, ...gpuRefs(gpus)],
  };
}
