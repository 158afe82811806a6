import { median } from '../statistics.ts';
import { clocks } from './parameters.ts';
import { coveredSeconds, type Domain, QUARTER_S, type Vote } from './shift-votes.ts';

export interface Watched {
  readonly domain: Domain;
  /** Maximum distance of two unrelated events of the two data sources, in seconds. */
  readonly watched_s: number;
  /** The shift, if it was searched for; null if it was known. */
  readonly tried: number | null;
}

/**
 * How many of the pairs are independent, and the probability that chance shows as many at a shift no larger than the one that
 * was found.
 *
 * A burst of effects is matched by another burst and not by lone events, and a lone event is weak evidence next to a burst:
 * the pairs are tested as bursts of at least the largest, the median and the smallest size, and the most significant counts.
 */
export function chanceOf(
  pairs: readonly Vote[],
  votes: readonly Vote[],
  { domain, watched_s, tried }: Watched,
): { readonly independent: number; readonly chance: number } {
  const sizes = burstSizes(pairs);
  if (sizes.length === 0) return { independent: 0, chance: 1 };
  const width = median(pairs.map(({ low, high }) => high - low));
  const sampledPairs = new Set(pairs);
  const others = votes.filter((vote) => !sampledPairs.has(vote));
  const about = around(others, tried ?? 0, domain);
  // The total length of both recordings bounds their distance.
  const within = domain.width_s * Math.min(1, watched_s / domain.reach_s);
  const levels = [...new Set([sizes[0], sizes[sizes.length >> 1], sizes.at(-1)] as number[])];
  const chances = levels.map((size) => {
    const count = sizes.filter((one) => one >= size).length;
    // Minus a third: bursts that overlap in part still count.
    const bundle = Math.max(1, Math.floor((2 * size) / 3));
    const anywhere = coveredSeconds(others, bundle) / within;
    const here = coveredSeconds(about, bundle) / (2 * clocks.zoneToleranceSeconds);
    const expected = (width * count) / watched_s + Math.max(anywhere, here);
    const places = tried === null ? 1 : tries(tried, width, { domain, watched_s, independent: count });
    return places * poissonTail(count, expected);
  });
  return { independent: sizes.length, chance: Math.min(...chances) * levels.length };
}

/** Number of pairs per burst, ascending. */
function burstSizes(pairs: readonly Vote[]): number[] {
  const burst = Math.max(clocks.burstSeconds, Math.min(...pairs.map(({ low, high }) => high - low)));
  const sizes: number[] = [];
  let since = Number.NEGATIVE_INFINITY;
  for (const { cause_s } of pairs.toSorted((a, b) => a.cause_s - b.cause_s))
    if (cause_s - since > burst) {
      sizes.push(1);
      since = cause_s;
    } else sizes.push(sizes.pop()! + 1);
  return sizes.sort((a, b) => a - b);
}

/**
 * The chance level is estimated from neighbouring shifts, because recordings are not equally busy throughout: two minutes of
 * shifts that lie fully in the searched range.
 */
function around(votes: readonly Vote[], shift: number, domain: Domain): Vote[] {
  const inner = clocks.nearSeconds - clocks.zoneToleranceSeconds;
  const centre =
    domain.name === 'near' ? Math.min(inner, Math.max(-inner, shift)) : Math.round(shift / QUARTER_S) * QUARTER_S;
  return votes.filter((vote) => Math.abs(vote.centre - centre) <= clocks.zoneToleranceSeconds);
}

/**
 * Number of shifts tested before this one: small ones come before large ones, whole hours before quarters. A lone coincidence
 * has one position; with several, each position may show one, and the tests of increasing shifts add up like the harmonic
 * series.
 */
function tries(
  shift: number,
  width: number,
  { domain, watched_s, independent }: Pick<Watched, 'domain' | 'watched_s'> & { readonly independent: number },
): number {
  const quarters = domain.name === 'near' ? 0 : Math.round(shift / QUARTER_S);
  const reach = domain.name === 'near' ? clocks.nearSeconds : clocks.zoneToleranceSeconds;
  const places = 1 + (2 * Math.abs(shift - quarters * QUARTER_S)) / width;
  const again = independent > 1 ? 1 + Math.log1p((2 * reach) / width) : 1;
  if (domain.name === 'near') return places * again;
  const step = quarters % 4 === 0 ? 4 : quarters % 2 === 0 ? 2 : 1;
  const zones = Math.max(1, Math.min(domain.reach_s, watched_s) / (step * QUARTER_S));
  return ZONE_STEPS * zones * places * again;
}

/** Whole, half and quarter hours are three tests. */
const ZONE_STEPS = 3;

/** P(N >= count) of a Poisson distribution with this mean. */
function poissonTail(count: number, mean: number): number {
  if (count <= 0) return 1;
  let term = Math.exp(-mean);
  if (mean > count) {
    let below = 0;
    for (let i = 0; i < count; i++) {
      below += term;
      term *= mean / (i + 1);
    }
    return Math.max(0, 1 - below);
  }
  for (let i = 1; i <= count; i++) term *= mean / i;
  let tail = 0;
  for (let i = count; term > tail * 1e-12 && i < count + 1000; i++) {
    tail += term;
    term *= mean / (i + 1);
  }
  return tail;
}
