import type { Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';

const quantiles = ['p30', 'p50', 'p70', 'p95', 'p99'] as const;

/**
 * Requests of a server that measures only their steps: each takes as long as its steps together. A quantile of the sum is taken to be the sum of
 * those of the steps, as if the same requests were slow in each.
 * @param runs of the model, whose requests and errors count
 */
export function bySteps(runs: Measurements, steps: readonly Measurements[]): Measurements {
  const all = [runs, ...steps.filter((step) => isOfSameRequests(step, runs))];
  const rows = all.map(({ time_ns }) => new Map(time_ns.map((time, i) => [time, i])));
  const sum = (field: (typeof quantiles)[number]): Float64Array =>
    Float64Array.from(runs.time_ns, (time) =>
      all.reduce((total, one, i) => total + (one[field][rows[i]!.get(time) ?? -1] ?? Number.NaN), 0),
    );
  return { ...runs, ...Object.fromEntries(quantiles.map((field) => [field, sum(field)])) };
}

const requestsOf = ({ requests }: Measurements): number => requests.reduce((sum, count) => sum + (count || 0), 0);

/** A model that batches runs once for several requests. */
function isOfSameRequests(step: Measurements, runs: Measurements): boolean {
  const [own, all] = [requestsOf(step), requestsOf(runs)];
  return Math.abs(all - own) <= impact.differentRequestsShare * Math.max(all, own);
}
