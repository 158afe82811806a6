/** Mulberry32: a small seeded generator, so that the same seed writes the same bytes everywhere. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  /** Standard normal (Box and Muller, 1958). */
  const normal = (): number => Math.sqrt(-2 * Math.log(next() || 1e-12)) * Math.cos(2 * Math.PI * next());
  return {
    next,
    normal,
    between: (low: number, high: number): number => low + (high - low) * next(),
    /** Log-normal around a median; request latencies look like this. */
    around: (median: number, sigma: number): number => median * Math.exp(sigma * normal()),
    /** Gap to the next of `rate` arrivals per second (Poisson). */
    gap: (rate: number): number => -Math.log(next() || 1e-12) / rate,
    hex: (digits: number): string =>
      Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join(''),
  };
}
export type Random = ReturnType<typeof createRandom>;
