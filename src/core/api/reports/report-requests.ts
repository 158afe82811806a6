import type { AffectedRequests } from '../../../model/incident/affected-requests.ts';
import type { ImpactWindow } from '../../analysis/impact/impact.ts';
import { workOf } from '../../analysis/impact/measurement-table.ts';

/**
 * How many requests an impact reached, by what was measured while it lasted; null where requests were not counted. Slow are those
 * beyond the P99 of the baseline, counted by the quantiles that are above it: at least so many.
 */
export function requestsOf({ measurements, first, last, baseline }: ImpactWindow): AffectedRequests | null {
  if (workOf(measurements) !== 'requests') return null;
  const { requests, error_rate, p50, p95, p99 } = measurements;
  let [total, failed, slow] = [0, 0, 0];
  for (let at = first; at <= last; at++) {
    const count = requests[at]!;
    if (!Number.isFinite(count)) continue;
    total += count;
    if (Number.isFinite(error_rate[at]!)) failed += (count * error_rate[at]!) / 100;
    const share = p50[at]! > baseline.p99 ? 0.5 : p95[at]! > baseline.p99 ? 0.05 : p99[at]! > baseline.p99 ? 0.01 : 0;
    slow += count * share;
  }
  if (total < 1) return null;
  const isKnown = error_rate.subarray(first, last + 1).some(Number.isFinite);
  return {
    total: Math.round(total),
    failed: isKnown ? Math.round(failed) : null,
    slow: Number.isFinite(baseline.p99) ? Math.round(slow) : null,
    slow_above_ms: Number.isFinite(baseline.p99) ? Number(baseline.p99.toFixed(1)) : null,
  };
}
