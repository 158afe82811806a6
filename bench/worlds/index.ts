import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatUtc, nanos } from '../../src/model/time.ts';
import { correlator } from '../corpus/answer.ts';
import { isRight } from '../corpus/score.ts';
import type { Figure } from '../corpus/statistics.ts';
import { options } from '../options.ts';
import { benchAcross, fitAcross } from './across.ts';
import { cluster } from './cluster/index.ts';
import { fabric } from './fabric/index.ts';
import { familyLine, type Judged, type JudgedLabel, judgeIncident, linesOf } from './figures.ts';
import { withCase, writeFiles } from './import.ts';
import type { World, WorldIncident, WorldLabel } from './world.ts';

const allWorlds: readonly World[] = [cluster, fabric];

/** Seeds from here on were not looked at while the world was made. */
const FIRST_SEED = 3000;
const EACH = 100;

/**
 * Incidents of worlds that the correlator was neither made nor fitted on, from files to verdicts. `--seed 3000 --each 100`
 * are the seeds, `--world` one world instead of all, `--family` keeps those that began so, `--verbose` lists what was wrong;
 * `--write FOLDER` writes the files of one seed with the truth beside them, and judges nothing. `--cases FOLDER` keeps the
 * imported cases for the next run.
 * `--fit` fits the weights on the corpus and all worlds, `--across` fits on some of them and judges on the others;
 * `--learn 4000-4059,5000-5014` are the seeds to fit on.
 */
export async function benchWorlds(): Promise<void> {
  const first = Number(options.seed ?? FIRST_SEED);
  const worlds = allWorlds.filter(({ name }) => options.world === undefined || options.world === name);
  if (worlds.length === 0) throw new Error(`no world is called ${options.world}`);
  if (options.across) return benchAcross(worlds, learntSeeds(), seedsFrom(first, Number(options.each ?? EACH)));
  if (options.fit) return fitAcross(worlds, learntSeeds());
  // One recording fills the folder: the first world's, where none is named.
  if (options.write !== undefined) return writeIncident(options.write, worlds[0]!.make(first));
  for (const world of worlds) {
    const judged: Judged[] = [];
    for (let seed = first; seed < first + Number(options.each ?? EACH); seed++) {
      const one = await judgeOne(world, seed);
      if (options.family === undefined || one.incident.family === options.family) judged.push(one);
    }
    printFigures(world, judged);
  }
}

const learntSeeds = (): number[] =>
  options.learn.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return seedsFrom(first!, last! - first! + 1);
  });

const seedsFrom = (first: number, each: number): number[] => Array.from({ length: each }, (_, i) => first + i);

async function judgeOne(world: World, seed: number): Promise<Judged> {
  const judged = await withCase(world, seed, options.cases, async (reader, { incident, import_ms }) => {
    const from = performance.now();
    const answers = await correlator(reader);
    return judgeIncident(incident, answers, { import_ms, correlate_ms: performance.now() - from });
  });
  if (options.verbose) printWrong(judged);
  return judged;
}

async function writeIncident(folder: string, { id, files, labels, calm, story }: WorldIncident): Promise<void> {
  await writeFiles(join(folder, 'files'), files);
  const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? formatUtc(nanos(value)) : value);
  await writeFile(join(folder, 'truth.json'), `${JSON.stringify({ id, story, calm, labels }, asText, 2)}\n`);
  console.log(`${id}: ${files.size} files in ${join(folder, 'files')}, the truth beside them in truth.json`);
}

const number = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(3));
const shown = ({ value, low, high, n }: Figure): string =>
  n === 0 ? '-' : `${number(value)} [${number(low)}, ${number(high)}] of ${n}`;

function printFigures({ name, families }: World, judged: readonly Judged[]): void {
  const labels = judged.flatMap(({ verdicts }) => verdicts);
  const unfit = judged.filter(({ incident }) => incident.labels.length === 0).length;
  console.log(
    `\nworld ${name}: ${judged.length} recordings with ${labels.length} labels (${unfit} recordings whose only harm has no clear cause)`,
  );
  for (const [title, figure] of linesOf(judged)) console.log(`  ${title.padEnd(54)}${shown(figure)}`);
  console.log('\n  right, of labels that can be known');
  for (const family of families) {
    const { right, of, harmless } = familyLine(judged, family);
    if (of + harmless > 0)
      console.log(
        `    ${family.padEnd(24)}${`${right} of ${of}`.padEnd(12)}${harmless > 0 ? `${harmless} harmless or not to be known` : ''}`,
      );
  }
  const mean = (of: (one: Judged) => number) =>
    Math.round(judged.reduce((sum, one) => sum + of(one), 0) / judged.length);
  console.log(
    `  import ${mean(({ import_ms }) => import_ms)} ms, correlate ${mean(({ correlate_ms }) => correlate_ms)} ms per recording`,
  );
}

function printWrong({ incident, verdicts, answers }: Judged): void {
  for (const one of verdicts)
    if (!isRight(one.verdict) && one.verdict.rank !== 1) console.log(wrongLine(incident, one));
  const calm = answers.filter(({ service }) => incident.calm.includes(service));
  for (const { service, hypotheses, onset_ns } of calm)
    console.log(
      `${incident.id}: an incident of ${service} at ${formatUtc(nanos(onset_ns))}, which was calm: ${hypotheses[0]?.type}`,
    );
}

function wrongLine({ id, story }: WorldIncident, { label, verdict }: JudgedLabel): string {
  const first = verdict.answer?.hypotheses[0];
  const said = first
    ? `${first.probability.toFixed(2)} ${first.type} ${first.subject ? `${first.subject.kind}:${first.subject.id}` : ''}`
    : 'nothing';
  const rank = Number.isFinite(verdict.rank) ? `truth at ${verdict.rank}` : 'truth not listed';
  return `${id} ${label.family} ${label.inferable ? '' : '(not to be known) '}true: ${truthOf(label)}; ${verdict.answer ? `said: ${said} on ${verdict.answer.service}; ${rank}` : 'missed'} | ${story.join(' | ')}`;
}

const truthOf = ({ expected, root, guilty_service }: WorldLabel): string =>
  `${expected} ${root ? `${root.kind}:${root.id}` : (guilty_service ?? '')}`;
