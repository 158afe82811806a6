import { SIGMAS_95 } from '../statistics.ts';
import { DelayBelief, type DelaySums, logSum } from './delay-belief.ts';
import { clocks } from './parameters.ts';
import type { Shift } from './shift-test.ts';
import type { Vote } from './shift-votes.ts';
import { type Correction, centreOf, type Priors } from './solve-offsets.ts';

const STEPS = 200;
/** Errors of a clock that is itself estimated, in standard deviations, with equal probability. */
const ERRORS = [-1.4, -0.53, 0, 0.53, 1.4] as const;
/** Probability that the uncertainty of an estimate covers, like {@link SIGMAS_95}. */
const SURE = 0.95;

interface Known {
  readonly settled: Map<number, Correction>;
  readonly shifts: readonly Shift[];
  readonly priors: Priors;
  readonly beliefs: Map<string, DelayBelief>;
}

/**
 * Refines the estimates source by source, best-known first, with information that least squares ignores: delays stay in their
 * range and concentrate at its short end. Each refined clock improves the delay distribution of each kind for the next.
 */
export function settleOffsets(
  solved: ReadonlyMap<number, Correction>,
  shifts: readonly Shift[],
  own: readonly Shift[],
  priors: Priors,
): ReadonlyMap<number, Correction> {
  const known: Known = { settled: new Map(solved), shifts, priors, beliefs: new Map() };
  for (const { pairs } of own) learn(pairs, { value: 0, deviation: 0 }, known);
  const order = [...solved].sort(([a, x], [b, y]) => x.deviation - y.deviation || a - b).map(([source]) => source);
  const before = new Set<number>();
  for (const source of order) {
    const links = shifts.filter(({ first, second }) => first === source || second === source);
    if ((priors.of(source) ?? 1) >= clocks.knownSeconds) known.settled.set(source, settle(source, links, known));
    for (const { first, second, pairs } of links)
      if (before.has(first === source ? second : first)) learn(pairs, between(first, second, known), known);
    before.add(source);
  }
  return known.settled;
}

function between(first: number, second: number, { settled }: Known): Correction {
  const [a, b] = [settled.get(first)!, settled.get(second)!];
  return { value: a.value - b.value, deviation: Math.hypot(a.deviation, b.deviation) };
}

const beliefOf = ({ kind }: Vote, { beliefs }: Known): DelayBelief => {
  const known = beliefs.get(kind.name) ?? new DelayBelief(kind);
  beliefs.set(kind.name, known);
  return known;
};

const byKind = (pairs: readonly Vote[]): Vote[][] => [...Map.groupBy(pairs, ({ kind }) => kind.name).values()];

function learn(pairs: readonly Vote[], { value, deviation }: Correction, known: Known): void {
  for (const list of byKind(pairs.filter(informsDelay)))
    beliefOf(list[0]!, known).learn(errorsOf(deviation).map((error) => sumsAt(list, value + error)));
}

const errorsOf = (deviation: number): readonly number[] =>
  deviation < clocks.knownSeconds ? [0] : ERRORS.map((error) => error * deviation);

/** Two records of one event have almost no delay; samples and truncation may hide it. */
const informsDelay = ({ kind, blur }: Vote): boolean =>
  !kind.isTwin && blur <= clocks.hiddenDelayShare * (kind.high_s - kind.low_s);

/** Delays of pairs under a shift, without impossible ones. */
function sumsAt(pairs: readonly Vote[], shift: number): DelaySums {
  let [count, total, squares, short] = [0, 0, 0, 0];
  for (const { kind, sign, low, high, centre } of pairs) {
    if (shift < low || shift > high) continue;
    const delay = kind.typical_s + sign * (centre - shift);
    const log = Math.log(Math.max(kind.shortest_s, delay));
    count++;
    total += log;
    squares += log ** 2;
    short -= 0.5 * (Math.max(0, kind.low_s - delay) / clocks.settleJitterSeconds) ** 2;
  }
  return { count, total, squares, short };
}

function settle(source: number, links: readonly Shift[], known: Known): Correction {
  const correction = known.settled.get(source)!;
  const [low, high] = boundsOf(source, links, known);
  const { value, deviation } = correction;
  // The pairs contradict each other: use the least-squares estimate.
  if (low >= high) return correction;
  const from = Math.max(low, value - clocks.searchDeviations * deviation);
  const to = Math.min(high, value + clocks.searchDeviations * deviation);
  const clamped = Math.min(high, Math.max(low, value));
  // The estimate and the limits contradict each other: keep the limits and the uncertainty.
  if (from >= to) return { value: clamped, deviation: Math.max(deviation, Math.abs(value - clamped)) };
  const hasDelayInfo = links.some(({ pairs }) => pairs.some(informsDelay));
  if (
    !hasDelayInfo &&
    from === value - clocks.searchDeviations * deviation &&
    to === value + clocks.searchDeviations * deviation
  )
    return correction;
  return middleOf(from, to, hasDelayInfo ? likelihoodOf(source, links, known) : (x) => normal(x, correction));
}

/** Bounds from the pairs; two records of one event give no hard bounds, because one data source may be slow. */
function boundsOf(source: number, links: readonly Shift[], { settled }: Known): readonly [number, number] {
  let low = Number.NEGATIVE_INFINITY;
  let high = Number.POSITIVE_INFINITY;
  for (const { first, second, pairs } of links) {
    const isFirst = first === source;
    const other = settled.get(isFirst ? second : first)!;
    const [least, most] = limitsOf(pairs);
    low = Math.max(low, other.value + (isFirst ? least : -most) - other.deviation);
    high = Math.min(high, other.value + (isFirst ? most : -least) + other.deviation);
  }
  return [low, high];
}

function limitsOf(pairs: readonly Vote[]): readonly [number, number] {
  const hard = pairs.filter(({ kind }) => !kind.isTwin);
  const wrong = Math.floor(hard.length * clocks.wrongPairsShare);
  const lows = hard.map(({ low }) => low).sort((a, b) => b - a);
  const highs = hard.map(({ high }) => high).sort((a, b) => a - b);
  return [lows[wrong] ?? Number.NEGATIVE_INFINITY, highs[wrong] ?? Number.POSITIVE_INFINITY];
}

const normal = (x: number, { value, deviation }: Correction): number => -0.5 * ((x - value) / deviation) ** 2;

type Likelihood = (x: number) => number;

/** Log-likelihood of the pairs for each correction of a data source, with the others fixed. */
function likelihoodOf(source: number, links: readonly Shift[], known: Known): Likelihood {
  const parts = links.flatMap((link): Likelihood[] => {
    const isFirst = link.first === source;
    const other = known.settled.get(isFirst ? link.second : link.first)!;
    const errors = errorsOf(other.deviation);
    const of = linkLikelihood(link, known);
    return [
      (x) =>
        logSum(
          Float64Array.from(errors, (error) => {
            const shift = x - other.value - error;
            return of(isFirst ? shift : -shift);
          }),
        ),
    ];
  });
  const prior = known.priors.of(source);
  if (prior !== undefined) parts.push((x) => normal(x, { value: 0, deviation: prior }));
  return (x) => parts.reduce((sum, part) => sum + part(x), 0);
}

function linkLikelihood({ pairs }: Shift, known: Known): Likelihood {
  const kinds = byKind(pairs.filter(informsDelay)).map((list) => ({ list, belief: beliefOf(list[0]!, known) }));
  const rest = byKind(pairs.filter((pair) => !informsDelay(pair)));
  const others = rest.map(roughly);
  const costOfWrong = Math.log(clocks.wrongPairsShare);
  return (shift) => {
    let sum = 0;
    for (const { list, belief } of kinds) {
      const sums = sumsAt(list, shift);
      const { low_s, high_s } = list[0]!.kind;
      sum += belief.logDensity(sums) + (list.length - sums.count) * (costOfWrong - Math.log(high_s - low_s));
    }
    for (const other of others) sum += normal(shift, other);
    return sum;
  };
}

/** Pairs with a hidden delay: their centre and its uncertainty. */
function roughly(list: readonly Vote[]): Correction {
  const { value, variance } = centreOf(list);
  return { value, deviation: Math.sqrt(variance + list[0]!.kind.bias_s ** 2) };
}

/**
 * The centre of the shortest interval with most of the probability, which is most often close to the truth. Its deviation is
 * that of a normal distribution with an equally wide 95 % interval.
 */
function middleOf(from: number, to: number, likelihood: Likelihood): Correction {
  const step = (to - from) / STEPS;
  const at = (i: number): number => from + step * i;
  const logs = Float64Array.from({ length: STEPS }, (_, i) => likelihood(at(i + 0.5)));
  const whole = logSum(logs);
  const sums = [0];
  for (const log of logs) sums.push(sums.at(-1)! + Math.exp(log - whole));
  let [start, end] = [0, STEPS];
  for (let i = 0, j = 0; i < STEPS; i++) {
    while (j < STEPS && sums[j]! - sums[i]! < clocks.estimateProbability) j++;
    if (sums[j]! - sums[i]! < clocks.estimateProbability) break;
    if (j - i < end - start) [start, end] = [i, j];
  }
  const value = at((start + end) / 2);
  const tail = (1 - SURE) / 2;
  const least = at(sums.findLastIndex((sum) => sum <= tail));
  const most = at(sums.findIndex((sum) => sum >= 1 - tail));
  return {
    value,
    deviation: Math.max(clocks.leastErrorSeconds, (value - least) / SIGMAS_95, (most - value) / SIGMAS_95),
  };
}
