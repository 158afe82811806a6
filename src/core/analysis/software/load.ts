import type { CallPaths } from './call-paths.ts';
import type { ServiceDeviation } from './deviation.ts';
import { software } from './parameters.ts';

/** More requests at a service that no measured service calls. */
export interface Entry {
  readonly service: number;
  /** Requests over those of the baseline. */
  readonly times: number;
  /** Log-odds against chance. */
  readonly weight: number;
}

/** More requests from outside, as an explanation. */
export interface Load {
  /** Where the additional requests of a service came in. */
  entryOf(service: number): Entry | undefined;
  /** Share of a service's latency and errors that its additional requests explain, 0 to 1. */
  explained(service: number): number;
}

/**
 * A rise of requests at a service that no measured service calls: nothing inside caused it. What is behind that service and got
 * more requests too does worse because of them. Failures that make callers retry raise no entry.
 */
export function loadFromOutside(
  deviations: ReadonlyMap<number, ServiceDeviation>,
  paths: Pick<CallPaths, 'callers' | 'below'>,
): Load {
  const entries = [...deviations.values()]
    .map((one): Entry => ({ service: one.service, times: riseOf(one), weight: one.throughput?.weight ?? 0 }))
    .filter(({ service, times }) => times > 1 && paths.callers(service).length === 0)
    .sort((a, b) => b.weight - a.weight || a.service - b.service);
  const entryOf = (service: number) => entries.find((entry) => paths.below(entry.service).has(service));
  return {
    entryOf,
    explained: (service) =>
      entryOf(service)
        ? Math.min(software.mostLoadShare, Math.log(riseOf(deviations.get(service))) / Math.log(software.loadedTimes))
        : 0,
  };
}

/** Requests over those of the baseline; 1 unless they rose notably. */
function riseOf(deviation: ServiceDeviation | undefined): number {
  const change = deviation?.throughput;
  return change && change.weight >= software.notableOdds && change.after > change.before
    ? change.after / change.before
    : 1;
}
