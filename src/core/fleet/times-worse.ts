import type { Impact } from '../../model/incident/incident.ts';

/** Most that is stated: nothing came, everything failed. */
const MOST_TIMES = 1000;

/** How many times worse at worst, by the figure that shows most: P99, requests that came, requests that did not fail. */
export function timesWorse(impact: Impact): number {
  const ratio = (worse: number | null, usual: number | null): number =>
    worse === null || usual === null ? 1 : Math.min(MOST_TIMES, usual > 0 && worse <= 0 ? MOST_TIMES : usual / worse);
  const passed = (errors: number | null): number | null => (errors === null ? null : 100 - errors);
  const slower =
    impact.p99_peak_ms === null || impact.p99_baseline_ms === null
      ? 1
      : ratio(impact.p99_baseline_ms, impact.p99_peak_ms);
  const fewer = ratio(impact.throughput_peak_rps, impact.throughput_baseline_rps);
  const failed = ratio(passed(impact.error_rate_peak_percent), passed(impact.error_rate_baseline_percent));
  return Math.round(10 * Math.max(1, slower, fewer, failed)) / 10;
}
