import { median } from '../statistics.ts';
import type { PairKind } from './pair-kind.ts';
import { clocks } from './parameters.ts';
import type { Shift } from './shift-test.ts';
import type { Vote } from './shift-votes.ts';
import { SymmetricSystem } from './symmetric-system.ts';

/** A correction in seconds, and its standard deviation. */
export interface Correction {
  readonly value: number;
  readonly deviation: number;
}

/** Combined observation of pairs of one kind between two data sources. */
interface Observation {
  readonly first: number;
  readonly second: number;
  readonly kind: PairKind;
  readonly sign: 1 | -1;
  readonly value: number;
  readonly variance: number;
}

const ROUNDS = 4;
export interface Priors {
  /** Standard deviation of a source's correction if it is known; pinned sources have a tiny one. */
  readonly of: (source: number) => number | undefined;
}

/**
 * Solves all corrections at once. Unknowns are one correction per data source and, per mechanism, the difference between its
 * typical delay in this cluster and the one from its range: if other data sources or a source's own pairs show that delay,
 * pairs of a wide range become precise.
 */
export function solveOffsets(
  shifts: readonly Shift[],
  own: readonly Shift[],
  priors: Priors,
): ReadonlyMap<number, Correction> {
  const observations = [...shifts, ...own].flatMap(observe);
  const sources = [...new Set(shifts.flatMap(({ first, second }) => [first, second]))].sort((a, b) => a - b);
  const kinds = new Map(observations.filter(({ kind }) => !kind.isTwin).map(({ kind }) => [kind.name, kind]));
  const place = new Map<number | string, number>();
  for (const name of [...sources, ...[...kinds.keys()].sort()]) place.set(name, place.size);
  let trust = observations.map(() => 1);
  let solved: ReadonlyMap<number, Correction> = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    const system = new SymmetricSystem(place.size);
    for (const source of sources)
      system.observe([[place.get(source)!, 1]], 0, (priors.of(source) ?? clocks.unknownSeconds) ** 2);
    for (const [name, kind] of kinds) system.observe([[place.get(name)!, 1]], 0, kind.bias_s ** 2);
    const terms = observations.map((one) => termsOf(one, place));
    observations.forEach(({ value, variance }, i) => {
      system.observe(terms[i]!, value, variance / trust[i]!);
    });
    const { value, deviation } = system.solve();
    trust = observations.map((one, i) => {
      const fitted = terms[i]!.reduce((sum, [at, factor]) => sum + factor * value[at]!, 0);
      const off = Math.abs(one.value - fitted) / Math.sqrt(one.variance);
      return off <= clocks.believedDeviations ? 1 : clocks.believedDeviations / off;
    });
    solved = new Map(
      sources.map((source) => {
        const at = place.get(source)!;
        return [source, { value: value[at]!, deviation: deviation[at]! }];
      }),
    );
  }
  return solved;
}

type Terms = (readonly [number, number])[];

function termsOf({ first, second, kind, sign }: Observation, place: ReadonlyMap<number | string, number>): Terms {
  const terms: [number, number][] = [];
  if (first !== second) terms.push([place.get(first)!, 1], [place.get(second)!, -1]);
  const bias = kind.isTwin ? undefined : place.get(kind.name);
  if (bias !== undefined) terms.push([bias, sign]);
  return terms;
}

function observe({ first, second, pairs }: Shift): Observation[] {
  return [...Map.groupBy(pairs, ({ kind, sign }) => `${kind.name} ${sign}`).values()].flatMap((list) => {
    const { kind, sign } = list[0]!;
    if (first === second && kind.isTwin) return [];
    const { value, variance: single } = centreOf(list);
    const variance = single + (kind.isTwin ? kind.bias_s ** 2 : 0);
    return [{ first, second, kind, sign, value, variance: Math.max(variance, 1e-8) }];
  });
}

/** Middle of the pairs of one kind, and its variance without their common part. */
export function centreOf(list: readonly Vote[]): { readonly value: number; readonly variance: number } {
  const scatter = list[0]!.kind.scatter_s;
  const middle = median(list.map(({ centre }) => centre));
  const blur = median(list.map((vote) => vote.blur));
  if (blur > clocks.dominantBlurTimes * scatter) {
    // Truncation errors are uniform: their midrange is a better estimate than the median.
    const near = list.filter(
      ({ centre }) => Math.abs(centre - middle) <= blur / 2 + clocks.outlierDeviations * scatter,
    );
    const centres = near.map(({ centre }) => centre);
    const n = near.length;
    return {
      value: (Math.min(...centres) + Math.max(...centres)) / 2,
      variance: blur ** 2 / (2 * (n + 1) * (n + 2)) + scatter ** 2 / Math.sqrt(n),
    };
  }
  const expected = scatter ** 2 + blur ** 2 / 12;
  const seen = list.reduce(
    (sum, { centre }) => sum + Math.min((centre - middle) ** 2, clocks.outlierDeviations ** 2 * expected),
    0,
  );
  // The observed scatter is combined with the expected one, which counts as two pairs.
  return { value: middle, variance: (2 * expected + seen) / (list.length + 1) / list.length };
}
