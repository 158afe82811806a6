import { createChance } from './chance.ts';

/** A figure with its 95 % interval; `n` is how many incidents it rests on. */
export interface Figure {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
}

const Z = 1.959963984540054;

/** A share with Wilson's score interval (Wilson 1927), which stays within 0 and 1 for few trials. */
export function share(outcomes: readonly boolean[]): Figure {
  const n = outcomes.length;
  if (n === 0) return { value: Number.NaN, low: Number.NaN, high: Number.NaN, n };
  const value = outcomes.filter(Boolean).length / n;
  const scale = 1 / (1 + (Z * Z) / n);
  const centre = scale * (value + (Z * Z) / (2 * n));
  const half = scale * Z * Math.sqrt((value * (1 - value)) / n + (Z * Z) / (4 * n * n));
  return { value, low: Math.max(0, centre - half), high: Math.min(1, centre + half), n };
}

const RESAMPLES = 400;

/** Any statistic of a sample with its percentile bootstrap interval (Efron 1979); the same sample gives the same one. */
export function bootstrap<T>(sample: readonly T[], statistic: (sample: readonly T[]) => number): Figure {
  const n = sample.length;
  if (n === 0) return { value: Number.NaN, low: Number.NaN, high: Number.NaN, n };
  const chance = createChance(n, 'bootstrap');
  const values = Array.from({ length: RESAMPLES }, () =>
    statistic(Array.from({ length: n }, () => sample[Math.floor(chance.next() * n)] as T)),
  ).sort((a, b) => a - b);
  const at = (q: number) => values[Math.round(q * (RESAMPLES - 1))]!;
  return { value: statistic(sample), low: at(0.025), high: at(0.975), n };
}

export const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** How sure an engine was, and whether it was right. */
export interface Judgement {
  readonly probability: number;
  readonly right: boolean;
}

const BINS = 10;

/** Expected calibration error (Naeini and others 2015): mean distance of confidence and accuracy over ten equal bins. */
export function calibrationError(judgements: readonly Judgement[]): number {
  const bins = Map.groupBy(judgements, ({ probability }) => Math.min(BINS - 1, Math.floor(probability * BINS)));
  let error = 0;
  for (const bin of bins.values()) {
    const confidence = average(bin.map(({ probability }) => probability));
    const accuracy = average(bin.map(({ right }) => Number(right)));
    error += (bin.length / judgements.length) * Math.abs(confidence - accuracy);
  }
  return error;
}
