import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { weighedKinds } from '../../src/core/analysis/evidence/index.ts';
import type { Suspect } from '../../src/core/analysis/ranking/hypothesis-line.ts';
import { ranking } from '../../src/core/analysis/ranking/parameters.ts';
import { fittedWeights, type Weights, weightOf } from '../../src/core/analysis/ranking/weights.ts';
import { print, thousands } from '../figures.ts';
import { type ConcludedAnswer, correlator } from './answer.ts';
import type { Label } from './label.ts';
import { runCorpus } from './run.ts';
import { isTruth, judge, type Result } from './score.ts';

const file = join(import.meta.dirname, '../../src/core/analysis/ranking/weights.yaml');

const judgement = Float64Array.from(weighedKinds, (kind) => kind.judgement);

/** Pulls towards the judgement that are tried, in incidents; the one that predicts unseen halves best is taken. */
const PULLS = [0.1, 0.5, 2];
const STEPS = 700;
const RATE = 0.03;

/** What is not zero of a suspect's features. */
export interface Values {
  readonly features: Uint8Array;
  readonly values: Float64Array;
}

/** One impact: the values of every suspect, and which of them are the truth. */
export interface Example {
  readonly suspects: readonly Values[];
  readonly true: readonly boolean[];
  /** An incident counts once, however many services it broke; an innocent one {@link INNOCENT} times. */
  readonly share: number;
  /** Whether it is the answer that counts for the incident. */
  readonly isShown: boolean;
}

/**
 * Fits the weights on what may be learnt from: those that make the truth most likely (a conditional logit), within signs
 * that make sense, pulled towards a judgement. Writes them where the correlator reads them.
 */
export async function fitCorpus(): Promise<void> {
  const results = [
    ...(await runCorpus(correlator, { split: 'train' })),
    ...(await runCorpus(correlator, { split: 'tune' })),
  ];
  const sets = [{ world: 'corpus', incidents: results.map((result) => examplesOf(result, INNOCENT)) }];
  await write(fitWorlds(sets), sets);
}

/** The incidents of one world that may be learnt from. */
export interface WorldExamples {
  readonly world: string;
  /** Per incident. */
  readonly incidents: readonly (readonly Example[])[];
}

/**
 * Worlds of different size count by the square root of it: one with few incidents is heard, and does not decide alone.
 * @returns the weights in the order of the features
 */
export function fitWorlds(sets: readonly WorldExamples[]): Float64Array {
  const largest = Math.max(...sets.map(({ incidents }) => incidents.length));
  const weighted = sets.map(({ world, incidents }) => {
    const factor = Math.sqrt(largest / incidents.length);
    return {
      world,
      incidents: incidents.map((list) => list.map((one) => ({ ...one, share: one.share * factor }))),
    };
  });
  const examples = weighted.flatMap(({ incidents }) => incidents.flat());
  for (const { world, incidents } of weighted)
    print(
      `fit: loss per incident, ${world}`,
      loss(incidents.flat(), vectorOf(fittedWeights())).toFixed(3),
      `${thousands(incidents.length)} incidents`,
    );
  const quarters = parts(weighted.flatMap(({ incidents }) => incidents)).map(
    ([train, rest]) => [train.flat(), rest.flat()] as const,
  );
  const tried = PULLS.map((pull) => {
    const unseen = quarters.map(([train, rest]) => ({ rest, weights: descend(train, pull) }));
    const losses = unseen.map(({ rest, weights }) => loss(rest, weights));
    const mean = losses.reduce((a, b) => a + b, 0) / losses.length;
    const each = losses.map((value) => value.toFixed(2)).join(' ');
    print(`  pull ${pull}: on quarters not fitted on`, mean.toFixed(3), each);
    return { pull, mean, unseen };
  });
  const best = tried.reduce((a, b) => (b.mean < a.mean ? b : a));
  const fitted = descend(examples, best.pull);
  for (const { world, incidents } of weighted)
    print(`  fitted with pull ${best.pull}, ${world}`, loss(incidents.flat(), fitted).toFixed(3), '');
  const sharpness = sharpnessOf(best.unseen);
  print('  made sharper by', sharpness.toFixed(2), 'estimated on quarters not used in the fit');
  return fitted.map((weight) => weight * sharpness);
}

interface Unseen {
  readonly rest: readonly Example[];
  /** Fitted without the rest. */
  readonly weights: Float64Array;
}

const SHARPNESS = { least: 0.5, most: 2, step: 0.01 } as const;

/**
 * Incidents that count ten times, bounds and the pull make all weights flatter than what was seen. One factor for all of them,
 * by what is shown of incidents that were not fitted on, each once, brings probabilities back to how often they are right
 * (temperature scaling, Guo et al. 2017), and changes no rank.
 */
function sharpnessOf(quarters: readonly Unseen[]): number {
  const once = quarters.map(({ rest, weights }) => ({ weights, shown: rest.filter(({ isShown }) => isShown) }));
  const { least, most, step } = SHARPNESS;
  const factors = Array.from({ length: Math.round((most - least) / step) + 1 }, (_, i) => least + i * step);
  const lossAt = (factor: number): number =>
    once.reduce(
      (sum, { shown, weights }) =>
        sum +
        reportedLoss(
          shown,
          weights.map((one) => one * factor),
        ),
      0,
    );
  const tried = factors.map((factor) => ({ factor, loss: lossAt(factor) }));
  return tried.reduce((a, b) => (b.loss < a.loss ? b : a)).factor;
}

/** In all, each once, with what the correlator leaves to what no corpus held. */
const reportedLoss = (examples: readonly Example[], weights: Float64Array): number =>
  examples.reduce((sum, example) => {
    const probabilities = chances(example, weights).map(
      (chance) =>
        (1 - ranking.outsideCorpusProbability) * chance + ranking.outsideCorpusProbability / example.true.length,
    );
    return sum - Math.log(probabilities.reduce((p, chance, i) => p + (example.true[i] ? chance : 0), 0));
  }, 0);

const PARTS = 4;

/** Four ways to leave a quarter out. */
function parts<T>(incidents: readonly T[]): [T[], T[]][] {
  return Array.from({ length: PARTS }, (_, part) => [
    incidents.filter((_, i) => i % PARTS !== part),
    incidents.filter((_, i) => i % PARTS === part),
  ]);
}

/**
 * The impacts of an incident.
 * @param innocent how often an incident counts in which nothing physical happened
 */
export function examplesOf(result: Result<ConcludedAnswer>, innocent: number): Example[] {
  const { label } = result;
  const concluded = judge(result).answer as ConcludedAnswer | undefined;
  const about =
    label.expected === 'none'
      ? result.answers
      : result.answers.filter(
          (answer) => answer === concluded || (label.affected_services.includes(answer.service) && near(answer, label)),
        );
  const counts = label.expected === 'none' || label.expected === 'no_physical_cause' ? innocent : 1;
  return about.map((answer) => {
    const { conclusion } = answer;
    const truth = conclusion.suspects.map((suspect) => isTrue(suspect, label));
    // If the cause cannot be found, "not enough evidence" is right.
    const labels = truth.includes(true)
      ? truth
      : conclusion.suspects.map(({ type }) => type === 'insufficient_evidence');
    return {
      suspects: conclusion.suspects.map(valuesOf),
      true: labels,
      share: counts / about.length,
      isShown: answer === concluded,
    };
  });
}

/** One in five incidents of the corpus is not of hardware, and most are in the field (ten times as many make seven of ten); to accuse there is the worst error. */
const INNOCENT = 10;

const near = ({ onset_ns, end_ns }: ConcludedAnswer, label: Label): boolean =>
  onset_ns <= label.end_ns && end_ns >= label.onset_ns;

const isTrue = ({ subject, type }: Suspect, label: Label): boolean =>
  isTruth({ rank: 1, probability: 0, subject, event_id: null, type, metric: null, evidence: [] }, label);

const indexOf = new Map(weighedKinds.map(({ id }, i) => [id, i]));

function valuesOf({ lines }: Suspect): Values {
  const sums = new Map<number, number>();
  for (const { kind, value } of lines) {
    const i = indexOf.get(kind.id)!;
    sums.set(i, (sums.get(i) ?? 0) + value);
  }
  return { features: Uint8Array.from(sums.keys()), values: Float64Array.from(sums.values()) };
}

export const weightsOf = (vector: Float64Array): Weights =>
  new Map(weighedKinds.map(({ id }, i) => [id, vector[i]!] as const));

const vectorOf = (weights: Weights): Float64Array => Float64Array.from(weighedKinds, (kind) => weightOf(weights, kind));

function oddsOf({ features: at, values }: Values, weights: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < at.length; i++) sum += values[i]! * weights[at[i]!]!;
  return sum;
}

function chances({ suspects }: Example, weights: Float64Array): number[] {
  const odds = suspects.map((suspect) => oddsOf(suspect, weights));
  const highest = Math.max(...odds);
  const raised = odds.map((value) => Math.exp(value - highest));
  const total = raised.reduce((a, b) => a + b, 0);
  return raised.map((value) => value / total);
}

function loss(examples: readonly Example[], weights: Float64Array): number {
  let sum = 0;
  let count = 0;
  for (const example of examples) {
    const right = chances(example, weights).reduce((p, chance, i) => p + (example.true[i] ? chance : 0), 0);
    sum -= example.share * Math.log(Math.max(1e-9, right));
    count += example.share;
  }
  return sum / count;
}

/** Adam; the steps are small enough and so many that the order of features does not matter. */
function descend(examples: readonly Example[], pull: number): Float64Array {
  const start = judgement;
  const weights = start.slice();
  const [mean, square] = [new Float64Array(start.length), new Float64Array(start.length)];
  for (let step = 1; step <= STEPS; step++) {
    const slope = gradient(examples, weights, { start, pull });
    for (let i = 0; i < weights.length; i++) {
      const { sign, least = 0, most = Number.POSITIVE_INFINITY, isJudged } = weighedKinds[i]!;
      if (isJudged) continue;
      mean[i] = 0.9 * mean[i]! + 0.1 * slope[i]!;
      square[i] = 0.999 * square[i]! + 0.001 * slope[i]! ** 2;
      const [m, v] = [mean[i]! / (1 - 0.9 ** step), square[i]! / (1 - 0.999 ** step)];
      const moved = weights[i]! - (RATE * m) / (Math.sqrt(v) + 1e-8);
      weights[i] = sign === 0 ? moved : sign * Math.min(most, Math.max(least, sign * moved));
    }
  }
  return weights;
}

function gradient(
  examples: readonly Example[],
  weights: Float64Array,
  { start, pull }: { readonly start: Float64Array; readonly pull: number },
): Float64Array {
  const slope = weights.map((weight, i) => pull * (weight - start[i]!));
  for (const example of examples) {
    const probabilities = chances(example, weights);
    const right = probabilities.reduce((p, chance, i) => p + (example.true[i] ? chance : 0), 0) || 1e-9;
    for (const [k, { features: at, values }] of example.suspects.entries()) {
      const chance = probabilities[k]!;
      const factor = example.share * (chance - (example.true[k] ? chance / right : 0));
      for (let i = 0; i < at.length; i++) slope[at[i]!] = slope[at[i]!]! + factor * values[i]!;
    }
  }
  return slope;
}

/** Where the correlator reads them, with the worlds that they were fitted on. */
export async function write(weights: Float64Array, sets: readonly WorldExamples[]): Promise<void> {
  const [head = ''] = (await readFile(file, 'utf8')).split('# Fitted on');
  const lines = weighedKinds.map(({ id }, i) => `  ${id}: ${Number(weights[i]!.toFixed(3))}`);
  const losses = sets.map(
    ({ world, incidents }) =>
      `# ${world}: ${incidents.length} incidents, loss ${loss(incidents.flat(), weights).toFixed(3)} per incident`,
  );
  const text = [
    head.trimEnd().split('\nversion:')[0],
    '# Fitted on',
    ...losses,
    'version: 1',
    'weights:',
    ...lines,
    '',
  ];
  await writeFile(file, text.join('\n'));
}
