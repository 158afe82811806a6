import { fleet } from './parameters.ts';

/** One measurement of the GPUs that report it. */
export interface FleetMetric {
  readonly metric: string;
  readonly unit: string;
  /** Places in the list of GPUs. */
  readonly gpus: readonly number[];
  /** Rows of `buckets` values, one per GPU in the order of `gpus`; NaN if not recorded. */
  readonly values: Float64Array;
  /** Likewise: 1 where a bucket holds a sample, 0 where it holds the one before; without it each value is a sample. */
  readonly sampled?: Uint8Array;
  /** Typical value of each GPU over the whole recording. */
  readonly typical: Float64Array;
}

/** GPUs that differed for a significant part of the time. */
export interface FleetDifference {
  /** Several if all GPUs of a workload changed together. */
  readonly gpus: readonly number[];
  /** `peers`: from GPUs of the same workload; `fleet`: from its own typical value, minus the change of the fleet. */
  readonly against: 'peers' | 'fleet';
  readonly metric: string;
  readonly unit: string;
  /** Measured and expected values while they differed. */
  readonly value: number;
  readonly typical: number;
  /** Share of the comparable buckets. */
  readonly share: number;
  /** First bucket in which one differed. */
  readonly first: number;
  /** GPUs that it was compared with, itself among them. */
  readonly others: number;
  /** Median distance in robust deviations of the others. */
  readonly deviations: number;
}

/** Smallest relevant difference of a value with this UCUM unit. */
export function leastStep(unit: string): number {
  if (unit === 'Cel') return fleet.leastDegrees;
  if (unit === 'W') return fleet.leastWatts;
  if (unit === 'MHz') return fleet.leastMegahertz;
  return unit === '%' ? fleet.leastPercent : 0;
}

/** Whether a value is a sample of its bucket, and not the one before. */
export const isSampled = ({ values, sampled }: FleetMetric, place: number): boolean =>
  sampled ? sampled[place] === 1 : !Number.isNaN(values[place]);

/** Buckets in which one of these rows was sampled: one sample that is valid for many buckets is one measurement. */
export const sampledBuckets = (metric: FleetMetric, rows: readonly number[], buckets: number): ReadonlySet<number> =>
  new Set([...Array(buckets).keys()].filter((at) => rows.some((row) => isSampled(metric, row * buckets + at))));

/** Where the first run of buckets with enough samples begins; null if there is none. */
export function startOfRun(
  places: readonly number[],
  sampled: ReadonlySet<number>,
  leastRun: number = fleet.leastRun,
): number | null {
  let start = 0;
  let samples = 0;
  for (const [i, place] of places.entries()) {
    if (i === 0 || place !== places[i - 1]! + 1) [start, samples] = [place, 0];
    if (sampled.has(place)) samples++;
    if (samples >= leastRun) return start;
  }
  return null;
}
