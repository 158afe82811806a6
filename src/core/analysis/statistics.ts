/** Median; NaN for none. NaN values are left out. */
export function median(values: Iterable<number>): number {
  const sorted = Float64Array.from([...values].filter((value) => !Number.isNaN(value))).sort();
  if (sorted.length === 0) return Number.NaN;
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The value below which a share of all lies, by nearest rank; NaN for none. @param share 0.95 for the 95th percentile */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.min(values.length - 1, Math.ceil(values.length * share) - 1))] ??
  Number.NaN;

/** Median absolute deviation scaled to a standard deviation (x 1.4826, for a normal distribution). */
export function spread(values: readonly number[]): number {
  const centre = median(values);
  return 1.4826 * median(values.map((value) => Math.abs(value - centre)));
}

/** Half of the 95 % interval of a normal distribution, in standard deviations. */
export const SIGMAS_95 = 1.96;

export function round(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}

/** A number for the report: rounded, and null when unknown. */
export const known = (value: number, digits = 1): number | null =>
  Number.isFinite(value) ? round(value, digits) : null;

/** FNV-1a, 32 bits, as eight hex digits: a short, stable name. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
