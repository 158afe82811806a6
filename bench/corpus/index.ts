import { options } from '../options.ts';
import { baseline, type ConcludedAnswer, correlator } from './answer.ts';
import { CHECK_SEED, SEEDS_END } from './catalog.ts';
import { fitCorpus } from './fit.ts';
import { type Family, families, jobFamilies, type Split } from './label.ts';
import { printScores, printWrong } from './print.ts';
import { entriesOf, runEngines } from './run.ts';
import { judge, type Result } from './score.ts';
import { compareVerdicts, readVerdicts, recordVerdicts, writeVerdicts } from './verdict-record.ts';

/** Both engines over one split of the corpus of labelled incidents, or over others made by other seeds, side by side. */
export async function benchCorpus(): Promise<void> {
  if (options.fit) return fitCorpus();
  if (options.record || options.compare) return saveVerdicts();
  const split = (options.split ?? 'tune') as Split;
  const family = options.family as Family | undefined;
  const ofJobs = options.part === 'jobs' || family?.startsWith('job_') === true;
  const known: readonly Family[] = ofJobs ? jobFamilies : families;
  if (!['tune', 'check', 'test'].includes(split) || (family && !known.includes(family)))
    throw new Error(`--split is tune, check or test, --family one of ${known.join(', ')}`);
  const { seed, each } = options;
  if (seed !== undefined && !(Number(seed) >= CHECK_SEED && Number(seed) + Number(each ?? 0) <= SEEDS_END))
    throw new Error(`--seed and those after it are ${CHECK_SEED} to ${SEEDS_END - 1}`);
  const checking =
    seed === undefined ? {} : { checking: { from: Number(seed), ...(each ? { each: Number(each) } : {}) } };
  const part = { split, ofJobs, ...(family ? { family } : {}), ...checking };
  console.log(`\ncorpus: ${entriesOf(part).length} incidents of split ${split}${family ? `, family ${family}` : ''}`);
  const from = performance.now();
  const [ours = [], seeds = []] = await runEngines([correlator, baseline], part);
  const [verdicts, seedVerdicts] = [ours.map(judge), seeds.map(judge)];
  printScores(verdicts, seedVerdicts);
  if (options.verbose) printWrong(verdicts);
  console.log(`${((performance.now() - from) / 1000).toFixed(0)} s in all, making up the incidents included`);
}

/** What the correlator concludes about all splits but `train`, written to a file or compared with what was written before. */
async function saveVerdicts(): Promise<void> {
  const results: Result<ConcludedAnswer>[] = [];
  for (const split of ['tune', 'check', 'test'] as const) {
    const [ours = []] = await runEngines([correlator], { split });
    results.push(...(ours as Result<ConcludedAnswer>[]));
    console.log(`${split}: ${ours.length} incidents`);
  }
  printScores(results.map(judge), []);
  const verdicts = recordVerdicts(results);
  if (options.compare) {
    const { compared, equal, lines } = compareVerdicts(await readVerdicts(options.compare), verdicts);
    for (const line of lines) console.log(line);
    console.log(`${equal} of ${compared} verdicts are equal to those in ${options.compare}`);
  }
  if (options.record) await writeVerdicts(options.record, verdicts);
}
