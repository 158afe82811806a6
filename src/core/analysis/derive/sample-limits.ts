/** Limits of a series as passed to `watched-levels.sql`; NaN if there is none. */
export interface SampleLimits {
  readonly low: number;
  readonly low_back: number;
  readonly high: number;
  readonly high_back: number;
}
export const NO_LIMITS: SampleLimits = {
  low: Number.NaN,
  low_back: Number.NaN,
  high: Number.NaN,
  high_back: Number.NaN,
};

/** @param line `series,low,low_back,high,high_back` */
export function parseLimits(line: string): { readonly series: number; readonly limits: SampleLimits } {
  const [series, low, low_back, high, high_back] = line
    .split(',')
    .map((field) => (field === '' ? Number.NaN : Number(field)));
  return {
    series: series!,
    limits: {
      low: low ?? Number.NaN,
      low_back: low_back ?? Number.NaN,
      high: high ?? Number.NaN,
      high_back: high_back ?? Number.NaN,
    },
  };
}

export const areSameLimits = (one: SampleLimits, other: SampleLimits): boolean =>
  Object.is(one.low, other.low) &&
  Object.is(one.low_back, other.low_back) &&
  Object.is(one.high, other.high) &&
  Object.is(one.high_back, other.high_back);

/** -1 below, 1 above, 0 within; null within the hysteresis, where the side does not change. As in `watched-levels.sql`. */
export function sideOf(value: number, { low, low_back, high, high_back }: SampleLimits): -1 | 0 | 1 | null {
  if (value < low) return -1;
  if (value > high) return 1;
  return value < low_back || value > high_back ? null : 0;
}
