import { fittedWeights } from '../../src/core/analysis/ranking/weights.ts';
import { type ConcludedAnswer, correlator, correlatorWith, type Engine } from '../corpus/answer.ts';
import { type Example, examplesOf, fitWorlds, type WorldExamples, weightsOf, write } from '../corpus/fit.ts';
import { entriesOf, runCorpus, runEngines } from '../corpus/run.ts';
import { judge } from '../corpus/score.ts';
import type { Figure } from '../corpus/statistics.ts';
import { options } from '../options.ts';
import { type Judged, judgeIncident, linesOf } from './figures.ts';
import { withCase } from './import.ts';
import type { World, WorldLabel } from './world.ts';

/** Incidents that may be learnt from, and others to judge by. */
interface Ground {
  readonly name: string;
  /** What of it is learnt from, in words. */
  readonly part: string;
  learn(): Promise<readonly (readonly Example[])[]>;
  /** Per engine. */
  judge(engines: readonly Engine<ConcludedAnswer>[]): Promise<readonly Judged[][]>;
}

/** How often an incident without a physical cause counts in the fit: about half of those of a world are. */
const INNOCENT = 2;

/** Of the training incidents of the corpus, one in so many: the others say nothing new, and take an hour. */
const CORPUS_SHARE = 3;

const corpus: Ground = {
  name: 'corpus',
  part: 'every third of train and tune',
  async learn() {
    const entries = [...entriesOf({ split: 'train' }), ...entriesOf({ split: 'tune' })];
    const ids = new Set(entries.filter((_, i) => i % CORPUS_SHARE === 0).map(({ id }) => id));
    const parts = [
      await runCorpus(correlator, { split: 'train', ids }),
      await runCorpus(correlator, { split: 'tune', ids }),
    ];
    return parts.flat().map((result) => examplesOf(result, INNOCENT));
  },
  async judge(engines) {
    const results = await runEngines(engines as readonly Engine[], { split: 'check' });
    return results.map((list) =>
      list.map((result): Judged => {
        const label: WorldLabel = { ...result.label, inferable: true };
        return {
          incident: { id: label.id, family: label.family, files: new Map(), labels: [label], calm: [], story: [] },
          answers: result.answers,
          verdicts: [{ label, verdict: judge({ ...result, label }) }],
          import_ms: 0,
          correlate_ms: result.milliseconds,
        };
      }),
    );
  },
};

const groundOf = (world: World, learnt: readonly number[], judged: readonly number[]): Ground => ({
  name: world.name,
  part: `seeds ${options.learn}`,
  async learn() {
    const found: Example[][] = [];
    for (const seed of learnt)
      await withCase(world, seed, options.cases, async (reader, { incident }) => {
        const answers = await correlator(reader);
        for (const label of incident.labels) found.push(examplesOf({ label, answers, milliseconds: 0 }, INNOCENT));
      });
    return found;
  },
  async judge(engines) {
    const found: Judged[][] = engines.map(() => []);
    for (const seed of judged)
      await withCase(world, seed, options.cases, async (reader, { incident, import_ms }) => {
        for (const [i, engine] of engines.entries())
          found[i]?.push(judgeIncident(incident, await engine(reader), { import_ms, correlate_ms: 0 }));
      });
    return found;
  },
});

const groundsOf = (worlds: readonly World[], learnt: readonly number[], judged: readonly number[]): Ground[] => [
  corpus,
  ...worlds.map((world) => groundOf(world, learnt, judged)),
];

async function learnFrom(grounds: readonly Ground[]): Promise<WorldExamples[]> {
  const sets: WorldExamples[] = [];
  for (const ground of grounds) sets.push({ world: ground.name, incidents: await ground.learn() });
  return sets;
}

/** Fits the weights on all worlds together, and writes them where the correlator reads them. */
export async function fitAcross(worlds: readonly World[], learnt: readonly number[]): Promise<void> {
  const grounds = groundsOf(worlds, learnt, []);
  const sets = await learnFrom(grounds);
  const described = sets.map((set, i) => ({ ...set, world: `${set.world}, ${grounds[i]?.part}` }));
  await write(fitWorlds(sets), described);
}

/**
 * Fits the weights on some worlds and judges them on all: how much of what was learnt holds elsewhere. Leaves each world out
 * once; beside it the weights of the program, and those of all worlds together.
 * @param learnt seeds that are fitted on
 * @param judged other seeds
 */
export async function benchAcross(worlds: readonly World[], learnt: readonly number[], judged: readonly number[]) {
  const grounds = groundsOf(worlds, learnt, judged);
  const sets = await learnFrom(grounds);
  const choices: readonly (readonly WorldExamples[])[] = [
    ...(grounds.length > 2 ? sets.map((one) => sets.filter((other) => other !== one)) : []),
    ...sets.map((one) => [one]),
    sets,
  ];
  const fitted = choices.map((some) => ({
    name: some.map(({ world }) => world).join(' + '),
    weights: weightsOf(fitWorlds(some)),
  }));
  const all = [{ name: 'the program', weights: fittedWeights() }, ...fitted];
  for (const ground of grounds) {
    const results = await ground.judge(all.map(({ weights }) => correlatorWith(weights)));
    printTable(
      ground.name,
      all.map(({ name }, i) => [name, results[i] ?? []] as const),
    );
  }
}

/** Columns of the table, by their place in the lines of a world. */
const COLUMNS = [
  ['AC@1', 0],
  ['AC@3', 1],
  ['software', 2],
  ['accused', 3],
  ['other device', 4],
  ['missed', 8],
  ['calibration', 11],
  ['log loss', 12],
  ['.9 and wrong', 13],
] as const;
const WIDTH = 15;
const NAME = 28;

function printTable(scored: string, rows: readonly (readonly [name: string, judged: readonly Judged[]])[]): void {
  const heads = COLUMNS.map(([head]) => head.padEnd(WIDTH)).join('');
  console.log(`\nscored on ${scored}\n  ${'fitted on'.padEnd(NAME)}${heads}`);
  for (const [name, judged] of rows) {
    const lines = linesOf(judged);
    const cells = COLUMNS.map(([, at]) => shown(lines[at]![1]).padEnd(WIDTH)).join('');
    console.log(`  ${name.padEnd(NAME)}${cells}`);
  }
}

const shown = ({ value, n }: Figure): string => (n === 0 ? '-' : `${value.toFixed(3)} of ${n}`);
