import type { AffectedRequests } from '../../../model/incident/affected-requests.ts';
import type { ImpactWindow } from '../../analysis/impact/impact.ts';
import { firstAtOrAfter, type Measurements, workOf } from '../../analysis/impact/measurement-table.ts';

/**
 * How many requests an impact reached, by what was measured of all its parts while it lasted; null where requests were not counted.
 * Slow are those beyond the P99 of the baseline, counted by the quantiles that are above it: at least so many.
 */
export function requestsOf({
  measurements,
  otherParts = [],
  first,
  last,
  baseline,
}: Pick<ImpactWindow, 'measurements' | 'otherParts' | 'first' | 'last' | 'baseline'>): AffectedRequests | null {
  if (workOf(measurements) !== 'requests') return null;
  const [from_ns, to_ns] = [measurements.time_ns[first]!, measurements.time_ns[last]!];
  const counted = [measurements, ...otherParts].map((one) => countIn(one, from_ns, to_ns, baseline.p99));
  const sum = (field: 'total' | 'failed' | 'slow'): number =>
    Math.round(counted.reduce((all, one) => all + one[field], 0));
  if (sum('total') < 1) return null;
  const isKnown = Number.isFinite(baseline.p99);
  return {
    total: sum('total'),
    failed: counted.some(({ hasErrors }) => hasErrors) ? sum('failed') : null,
    slow: isKnown ? sum('slow') : null,
    slow_above_ms: isKnown ? Number(baseline.p99.toFixed(1)) : null,
  };
}

/** In the measurements of a time, both ends included. @param slow_above ms */
function countIn(
  { time_ns, requests, error_rate, p50, p95, p99 }: Measurements,
  from_ns: bigint,
  to_ns: bigint,
  slow_above: number,
) {
  let [total, failed, slow, hasErrors] = [0, 0, 0, false];
  for (let at = firstAtOrAfter(time_ns, from_ns); at < time_ns.length && time_ns[at]! <= to_ns; at++) {
    if (Number.isFinite(error_rate[at]!)) hasErrors = true;
    const count = requests[at]!;
    if (!Number.isFinite(count)) continue;
    total += count;
    if (Number.isFinite(error_rate[at]!)) failed += (count * error_rate[at]!) / 100;
    const share = p50[at]! > slow_above ? 0.5 : p95[at]! > slow_above ? 0.05 : p99[at]! > slow_above ? 0.01 : 0;
    slow += count * share;
  }
  return { total, failed, slow, hasErrors };
}
