import { logUniform, normal, randomFrom } from '../test/support/clock-world.ts';

type Random = () => number;

/** True delay distribution of a world, known only to the bench. */
export interface DelayLaw {
  readonly draw: (random: Random, pairs: number) => number[];
  /** Natural logarithm of the density of such delays. */
  readonly logDensity: (delays: readonly number[]) => number;
  /** No error is larger than this, seconds. */
  readonly most_s: number;
}

const DRAWS = 200;
const STEPS = 600;
const SHARE = 0.9;

/**
 * The least p90 of errors that any estimator can have, seconds, even one that knows the law of the delays: for an error of at
 * most h it can do no better than to choose the interval of length 2 h that holds most of what the pairs leave possible
 * (Bayes' rule, any shift as likely as another), and h is the least for which that is right nine times in ten.
 */
export function leastError(law: DelayLaw, pairs: number): number {
  const random = randomFrom(pairs);
  const posteriors = Array.from({ length: DRAWS }, () => posteriorOf(law, law.draw(random, pairs)));
  const step = (2 * law.most_s) / STEPS;
  let [low, high] = [0, STEPS];
  while (high - low > 1) {
    const width = (low + high) >> 1;
    const coverage = posteriors.reduce((sum, sums) => sum + mostWithin(sums, width), 0) / DRAWS;
    if (coverage >= SHARE) high = width;
    else low = width;
  }
  return (high * step) / 2;
}

/** Sums of what each error up to a place is worth; the truth is in the middle. */
function posteriorOf({ logDensity, most_s }: DelayLaw, delays: readonly number[]): Float64Array {
  const logs = Float64Array.from({ length: STEPS }, (_, i) => {
    const error = most_s * ((2 * (i + 0.5)) / STEPS - 1);
    return logDensity(delays.map((delay) => delay + error));
  });
  const highest = logs.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY);
  const sums = new Float64Array(STEPS + 1);
  for (let i = 0; i < STEPS; i++) sums[i + 1] = sums[i]! + Math.exp(logs[i]! - highest);
  return sums.map((sum) => sum / sums[STEPS]!);
}

function mostWithin(sums: Float64Array, width: number): number {
  let most = 0;
  for (let i = width; i < sums.length; i++) most = Math.max(most, sums[i]! - sums[i - width]!);
  return most;
}

/** Each delay by itself, spread evenly over the logarithm of a range. */
export const anyDelayLaw = (low: number, high: number): DelayLaw => ({
  draw: (random, pairs) => Array.from({ length: pairs }, () => logUniform(random, low, high)),
  logDensity: (delays) =>
    delays.reduce((sum, delay) => (delay < low || delay > high ? Number.NEGATIVE_INFINITY : sum - Math.log(delay)), 0),
  most_s: high,
});

const TYPICALS = 60;

/** One typical delay somewhere in a range, about which the delays scatter log-normally. */
export function alikeDelayLaw([low, high]: readonly [number, number], scatter: number): DelayLaw {
  const typicals = Array.from(
    { length: TYPICALS },
    (_, i) => Math.log(low) + ((i + 0.5) / TYPICALS) * Math.log(high / low),
  );
  return {
    draw: (random, pairs) => {
      const typical = logUniform(random, low, high);
      return Array.from({ length: pairs }, () => typical * Math.exp(scatter * normal(random)));
    },
    logDensity: (delays) => {
      if (delays.some((delay) => delay <= 0)) return Number.NEGATIVE_INFINITY;
      const logs = delays.map(Math.log);
      const total = logs.reduce((sum, log) => sum + log, 0);
      const squares = logs.reduce((sum, log) => sum + log * log, 0);
      const each = typicals.map(
        (typical) => -(squares - 2 * typical * total + logs.length * typical ** 2) / (2 * scatter ** 2),
      );
      const highest = Math.max(...each);
      return highest + Math.log(each.reduce((sum, one) => sum + Math.exp(one - highest), 0)) - total;
    },
    most_s: 2 * high,
  };
}

/** One recorder is late by up to `early`, the other by `late[0]` to `late[1]`. */
export function twinLaw(early: number, [from, to]: readonly [number, number]): DelayLaw {
  const density = (delay: number): number =>
    Math.max(0, Math.min(to, delay + early) - Math.max(from, delay)) / (early * (to - from));
  return {
    draw: (random, pairs) => Array.from({ length: pairs }, () => from + (to - from) * random() - early * random()),
    logDensity: (delays) => delays.reduce((sum, delay) => sum + Math.log(density(delay)), 0),
    most_s: to,
  };
}
