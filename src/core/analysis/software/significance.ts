/**
 * Probabilities by chance, and their weight as evidence. All tails are upper tails in [0, 1].
 */

/** Lanczos' approximation (g = 7, nine terms); good to 13 digits for x > 0. */
const LANCZOS = [
  0.999_999_999_999_809_9, 676.520_368_121_885_1, -1259.139_216_722_402_8, 771.323_428_777_653_1,
  -176.615_029_162_140_6, 12.507_343_278_686_905, -0.138_571_095_265_720_12, 9.984_369_578_019_572e-6,
  1.505_632_735_149_311_6e-7,
] as const;

function logGamma(x: number): number {
  let sum: number = LANCZOS[0];
  for (let i = 1; i < LANCZOS.length; i++) sum += (LANCZOS[i] as number) / (x - 1 + i);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

const logChoose = (n: number, k: number): number => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);

/** Regularised incomplete beta function by its continued fraction (Abramowitz and Stegun 26.5.8, Lentz's method). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / notTiny(1 - ((a + b) * x) / (a + 1), tiny);
  let value = d;
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / notTiny(1 + even * d, tiny);
    c = notTiny(1 + even / c, tiny);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / notTiny(1 + odd * d, tiny);
    c = notTiny(1 + odd / c, tiny);
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-12) break;
  }
  return front * value;
}

const notTiny = (value: number, tiny: number): number => (Math.abs(value) < tiny ? tiny : value);

/** Probability of `count` or more successes in `trials` of which each succeeds with `chance`. */
export function binomialTail(count: number, trials: number, chance: number): number {
  if (count <= 0) return 1;
  if (count > trials) return 0;
  return incompleteBeta(chance, count, trials - count + 1);
}

/** Probability that Student's t with `freedom` degrees exceeds `t`. */
export function studentTail(t: number, freedom: number): number {
  const outside = incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  return t >= 0 ? outside : 1 - outside;
}

/**
 * The smallest probability of a rank test: that all `after` values are on one side of all `before` values by chance. Few points
 * cannot be more significant, whatever the distance.
 */
export const rankLimit = (before: number, after: number): number => Math.exp(-logChoose(before + after, after));

/**
 * The log-odds (natural) of a probability by chance against chance: the largest Bayes factor that any
 * alternative can reach, -1 / (e p ln p) (Sellke, Bayarri and Berger, The American Statistician 55, 2001). 0 from p = 1/e.
 */
export function oddsAgainstChance(p: number, most: number): number {
  if (!(p < Math.exp(-1))) return 0;
  const log = Math.log(Math.max(p, 1e-300));
  return Math.min(most, -(1 + log + Math.log(-log)));
}
