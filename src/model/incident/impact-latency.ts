import { type Impact, meanTexts } from './incident.ts';

/** The latency that an impact was measured by, in ms. */
export interface ImpactLatency {
  /** As a sentence or a row begins with it. */
  readonly name: string;
  readonly baseline: number | null;
  readonly first: number | null;
  readonly peak: number | null;
  /** From the baseline to the peak. */
  readonly change_percent: number | null;
}

/** P99, or the mean where no quantile is known: a reader must not take one for the other. */
export function latencyOf(impact: Impact): ImpactLatency {
  const { mean } = impact;
  return mean
    ? {
        name: meanTexts[mean.of],
        baseline: mean.baseline_ms,
        first: mean.first_anomaly_ms,
        peak: mean.peak_ms,
        change_percent: mean.change_percent,
      }
    : {
        name: 'P99',
        baseline: impact.p99_baseline_ms,
        first: impact.p99_first_anomaly_ms,
        peak: impact.p99_peak_ms,
        change_percent: impact.p99_change_percent,
      };
}
