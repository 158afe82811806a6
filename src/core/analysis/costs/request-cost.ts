import type { RequestCost } from '../../../model/incident/cost.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import type { AffectedGpu } from './affected-gpus.ts';
import { gpuTime } from './gpu-time.ts';
import type { Rates } from './rates.ts';

/** A service at one moment. */
export interface ServedInstant {
  readonly time_ns: bigint;
  /** That served it then. */
  readonly gpus: readonly AffectedGpu[];
  /** Requests a second; null is unknown. */
  readonly throughput_rps: number | null;
  /** What the throughput was read from. */
  readonly refs: readonly string[];
}

/** Refs of things are for opening a few of them, not for listing a cluster. */
const MOST_REFS = 4;

export const gpuRefs = (gpus: readonly AffectedGpu[]): string[] =>
  gpus.slice(0, MOST_REFS).map(({ key }) => `entity:${key}`);

/** The GPUs of a service are paid for whether they answer or not: fewer answers make each dearer. */
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
