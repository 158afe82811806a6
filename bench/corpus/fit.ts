import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UNHEARD_OF } from '../../src/core/analysis/hypotheses.ts';
import type { Suspect } from '../../src/core/analysis/hypothesis-line.ts';
import { type Feature, features, fittedWeights, type Weights } from '../../src/core/analysis/weights.ts';
import { print, thousands } from '../figures.ts';
import { type ConcludedAnswer, correlator } from './answer.ts';
import type { Label } from './label.ts';
import { runCorpus } from './run.ts';
import { isTruth, judge, type Result } from './score.ts';

const file = join(import.meta.dirname, '../../src/core/analysis/weights.yaml');

/** What only ever speaks for, and what only ever against: whatever a small corpus says by chance. */
const signs: Readonly<Partial<Record<Feature, 1 | -1>>> = {
  root_type: 1,
  severity: 1,
  path: 1,
  explains: 1,
  bare: -1,
  explained: -1,
  explained_root: -1,
  leaves: -1,
  together: -1,
  predicted: 1,
  absent: -1,
  sparse: -1,
  callee_covered: 1,
  callee_missed: -1,
  callee_fine: -1,
  scope: 1,
  scope_none: -1,
  timing: 1,
  far: -1,
  late: -1,
  late_unsure: -1,
  zone_supposed: -1,
  moved: 1,
  elsewhere_moved: -1,
  unmoved: -1,
  held: 1,
  not_held: -1,
  unmapped: -1,
  sibling: -1,
  caller: -1,
  services_broke: 1,
  services_healthy: -1,
  routine: -1,
  elsewhere: -1,
  silent_devices: 1,
  silent_together: 1,
  silent_share: 1,
  silent_explained: -1,
  silent_rival: -1,
  silent_watched: -1,
  quiet: 1,
  low_only: 1,
  lead: 1,
  brief: 1,
  machines_moved: -1,
  machines_busier: 1,
  machines_still: 1,
  moved_unexplained: 1,
  moved_company: -1,
  surge: 1,
  rollout: 1,
  layers_missing: 1,
  orphans: 1,
  unplaced: 1,
  no_events: 1,
};

/**
 * At least so much, whatever the corpus says: an effect does not come before its cause, and clocks are mostly right; what harms
 * only by its effects needs one to be believed, and spares no neighbour; what is long past is past; trouble elsewhere at once needs
 * one cause, and what happens every day is no news; what has a cause is no beginning.
 */
const least: Readonly<Partial<Record<Feature, number>>> = {
  root_type: 1.8,
  late: 0.4,
  bare: 3,
  services_healthy: 3,
  far: 2,
  callee_fine: 1.5,
  scope_none: 1,
  routine: 0.3,
  path: 0.4,
  explained: 0.8,
};

/**
 * At most so much: the corpus' machines draw power by a simpler law than real ones, its noise has no bad days, its topologies lack
 * less, and what often begins an incident began this one, or what followed it, only if something else says so.
 */
const most: Readonly<Partial<Record<Feature, number>>> = {
  machines_moved: 1.5,
  machines_busier: 1.5,
  brief: 4,
  unmapped: 3,
  held: 1.5,
  root_type: 2.5,
  explained_root: 3,
};

/** Kept as they are: the corpus has no such recordings, or too few. */
const judged: ReadonlySet<Feature> = new Set(['unplaced', 'no_events', 'zone_supposed']);

/** What an investigator would say without a corpus, log-odds: where the corpus is silent this stands. */
const judgement: Weights = {
  prior_event: 0,
  prior_silent: -1.5,
  prior_moved: 0,
  prior_software: 0,
  prior_insufficient: -1,
  root_type: 1,
  severity: 0.5,
  path: 0.6,
  explains: 2,
  bare: -1.5,
  explained: -2,
  explained_root: -0.5,
  leaves: -0.5,
  together: -0.5,
  predicted: 0.3,
  absent: -0.5,
  sparse: -1,
  callee_covered: 0.3,
  callee_missed: -0.5,
  callee_fine: -2,
  scope: 0.5,
  scope_none: -2,
  timing: 0.6,
  far: -1,
  late: -0.6,
  late_unsure: -0.4,
  zone_supposed: -2,
  moved: 1,
  elsewhere_moved: -1,
  unmoved: -0.3,
  held: 0.5,
  not_held: -1,
  unmapped: -2,
  sibling: -0.6,
  caller: -0.3,
  services_broke: 0.5,
  services_healthy: -1,
  routine: -0.6,
  elsewhere: -1,
  silent_devices: 0.5,
  silent_together: 0.5,
  silent_share: 1,
  silent_explained: -1,
  silent_rival: -1,
  silent_watched: -0.6,
  quiet: 1.5,
  low_only: 1,
  lead: 0.3,
  brief: 0.5,
  machines_moved: -0.5,
  machines_busier: 0.5,
  machines_still: 0.5,
  moved_unexplained: 0.5,
  moved_company: -0.5,
  surge: 3,
  rollout: 3,
  layers_missing: 0.5,
  orphans: 1,
  unplaced: 5,
  no_events: 5,
};

/** Pulls towards the judgement that are tried, in incidents; the one that tells unseen halves best is taken. */
const PULLS = [0.1, 0.5, 2];
const STEPS = 700;
const RATE = 0.03;

/** What is not zero of a suspect's features. */
interface Values {
  readonly features: Uint8Array;
  readonly values: Float64Array;
}

/** One impact: the values of every suspect, and which of them are the truth. */
interface Example {
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
  await write(fitResults(results));
}

/** @returns the weights in the order of the features */
export function fitResults(results: readonly Result<ConcludedAnswer>[]): Float64Array {
  const examples = results.flatMap(examplesOf);
  print(
    'fit: loss per incident',
    loss(examples, vectorOf(fittedWeights())).toFixed(3),
    `${thousands(examples.length)} impacts of ${thousands(results.length)} incidents`,
  );
  const quarters = parts(results).map(
    ([train, rest]) => [train.flatMap(examplesOf), rest.flatMap(examplesOf)] as const,
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
  print(`  fitted with pull ${best.pull}`, loss(examples, fitted).toFixed(3), '');
  const sharpness = sharpnessOf(best.unseen);
  print('  made sharper by', sharpness.toFixed(2), 'told on quarters not fitted on');
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
        lossAsTold(
          shown,
          weights.map((one) => one * factor),
        ),
      0,
    );
  const tried = factors.map((factor) => ({ factor, loss: lossAt(factor) }));
  return tried.reduce((a, b) => (b.loss < a.loss ? b : a)).factor;
}

/** In all, each once, with what the correlator leaves to what no corpus held. */
const lossAsTold = (examples: readonly Example[], weights: Float64Array): number =>
  examples.reduce((sum, example) => {
    const told = chances(example, weights).map(
      (chance) => (1 - UNHEARD_OF) * chance + UNHEARD_OF / example.true.length,
    );
    return sum - Math.log(told.reduce((p, chance, i) => p + (example.true[i] ? chance : 0), 0));
  }, 0);

const PARTS = 4;

/** Four ways to leave a quarter out. */
function parts(results: readonly Result<ConcludedAnswer>[]): [Result<ConcludedAnswer>[], Result<ConcludedAnswer>[]][] {
  return Array.from({ length: PARTS }, (_, part) => [
    results.filter((_, i) => i % PARTS !== part),
    results.filter((_, i) => i % PARTS === part),
  ]);
}

function examplesOf(result: Result<ConcludedAnswer>): Example[] {
  const { label } = result;
  const chosen = judge(result).answer as ConcludedAnswer | undefined;
  const about =
    label.expected === 'none'
      ? result.answers
      : result.answers.filter(
          (answer) => answer === chosen || (label.affected_services.includes(answer.service) && near(answer, label)),
        );
  const counts = label.expected === 'none' || label.expected === 'no_physical_cause' ? INNOCENT : 1;
  return about.map((answer) => {
    const { conclusion } = answer;
    const truth = conclusion.suspects.map((suspect) => isTrue(suspect, label));
    // What nobody could find is not enough evidence.
    const told = truth.includes(true) ? truth : conclusion.suspects.map(({ type }) => type === 'insufficient_evidence');
    return {
      suspects: conclusion.suspects.map(valuesOf),
      true: told,
      share: counts / about.length,
      isShown: answer === chosen,
    };
  });
}

/** One in five incidents of the corpus is not of hardware, and most are in the field (ten times as many make seven of ten); to accuse there is the worst error. */
const INNOCENT = 10;

const near = ({ onset_ns, end_ns }: ConcludedAnswer, label: Label): boolean =>
  onset_ns <= label.end_ns && end_ns >= label.onset_ns;

const isTrue = ({ subject, type }: Suspect, label: Label): boolean =>
  isTruth({ rank: 1, probability: 0, subject, event_id: null, type, metric: null, evidence: [] }, label);

const indexOf = new Map(features.map((feature, i) => [feature, i]));

function valuesOf({ lines }: Suspect): Values {
  const sums = new Map<number, number>();
  for (const { feature, value } of lines) {
    const i = indexOf.get(feature) as number;
    sums.set(i, (sums.get(i) ?? 0) + value);
  }
  return { features: Uint8Array.from(sums.keys()), values: Float64Array.from(sums.values()) };
}

const vectorOf = (weights: Weights): Float64Array => Float64Array.from(features, (feature) => weights[feature]);

function oddsOf({ features: at, values }: Values, weights: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < at.length; i++) sum += (values[i] as number) * (weights[at[i] as number] as number);
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
  const start = vectorOf(judgement);
  const weights = start.slice();
  const [mean, square] = [new Float64Array(start.length), new Float64Array(start.length)];
  for (let step = 1; step <= STEPS; step++) {
    const slope = gradient(examples, weights, { start, pull });
    for (let i = 0; i < weights.length; i++) {
      const feature = features[i] as Feature;
      if (judged.has(feature)) continue;
      mean[i] = 0.9 * (mean[i] as number) + 0.1 * (slope[i] as number);
      square[i] = 0.999 * (square[i] as number) + 0.001 * (slope[i] as number) ** 2;
      const [m, v] = [(mean[i] as number) / (1 - 0.9 ** step), (square[i] as number) / (1 - 0.999 ** step)];
      const moved = (weights[i] as number) - (RATE * m) / (Math.sqrt(v) + 1e-8);
      const sign = signs[feature];
      const [low, high] = [least[feature] ?? 0, most[feature] ?? Number.POSITIVE_INFINITY];
      weights[i] = sign === undefined ? moved : sign * Math.min(high, Math.max(low, sign * moved));
    }
  }
  return weights;
}

function gradient(
  examples: readonly Example[],
  weights: Float64Array,
  { start, pull }: { readonly start: Float64Array; readonly pull: number },
): Float64Array {
  const slope = weights.map((weight, i) => pull * (weight - (start[i] as number)));
  for (const example of examples) {
    const said = chances(example, weights);
    const right = said.reduce((p, chance, i) => p + (example.true[i] ? chance : 0), 0) || 1e-9;
    for (const [k, { features: at, values }] of example.suspects.entries()) {
      const chance = said[k] as number;
      const factor = example.share * (chance - (example.true[k] ? chance / right : 0));
      for (let i = 0; i < at.length; i++)
        slope[at[i] as number] = (slope[at[i] as number] as number) + factor * (values[i] as number);
    }
  }
  return slope;
}

/** Where the correlator reads them. */
export async function write(weights: Float64Array): Promise<void> {
  const [head = ''] = (await readFile(file, 'utf8')).split('version:');
  const lines = features.map((feature, i) => `  ${feature}: ${Number((weights[i] as number).toFixed(3))}`);
  await writeFile(file, `${head}version: 1\nweights:\n${lines.join('\n')}\n`);
}
