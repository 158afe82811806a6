import type { Impact } from '../../model/incident/incident.ts';

/** Most that is stated: nothing came, everything failed. */
const MOST_TIMES = 1000;

/** Figures of a service; null or NaN: unknown. P99 in ms, requests per second, errors in percent. */
export interface ServiceFigures {
  readonly p99: number | null;
  readonly throughput: number | null;
  readonly error_rate: number | null;
}

/** How many times worse at worst, by the figure that shows most: P99, requests that came, requests that did not fail. */
export const timesWorse = (impact: Impact): number =>
  Math.round(
    10 *
      timesWorseThan(
        {
          p99: impact.p99_baseline_ms,
          throughput: impact.throughput_baseline_rps,
          error_rate: impact.error_rate_baseline_percent,
        },
        {
          p99: impact.p99_peak_ms,
          throughput: impact.throughput_peak_rps,
          error_rate: impact.error_rate_peak_percent,
        },
      ),
  ) / 10;

/** At least 1: as the baseline, or better. */
export function timesWorseThan(baseline: ServiceFigures, now: ServiceFigures): number {
  const slower = ratio(baseline.p99, now.p99);
  const fewer = ratio(now.throughput, baseline.throughput);
  const failed = ratio(passed(now.error_rate), passed(baseline.error_rate));
  return Math.max(1, slower, fewer, failed);
}

const isUnknown = (value: number | null): value is null => value === null || Number.isNaN(value);
const passed = (errors: number | null): number | null => (errors === null ? null : 100 - errors);

/** 1 where one of them is unknown. */
function ratio(worse: number | null, usual: number | null): number {
  if (isUnknown(worse) || isUnknown(usual)) return 1;
  return Math.min(MOST_TIMES, usual > 0 && worse <= 0 ? MOST_TIMES : usual / worse);
}
