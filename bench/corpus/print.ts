import { evidenceText } from '../../src/core/analysis/evidence/index.ts';
import type { TypedHypothesis } from '../../src/model/incident/incident.ts';
import { families, jobFamilies, variants } from './label.ts';
import { isRight, type Score, score, type Verdict } from './score.ts';
import type { Figure } from './statistics.ts';

/** Of what should be hardly anything, or nearly all, a tenth matters. */
const percent = (value: number): string => {
  if (Number.isNaN(value)) return '-';
  const isEdge = (value > 0 && value < 0.1) || (value > 0.9 && value < 1);
  return isEdge ? (100 * value).toFixed(1) : `${Math.round(100 * value)}`;
};
const shown = ({ value, low, high, n }: Figure): string =>
  n === 0 ? '-' : `${percent(value)} % [${percent(low)}, ${percent(high)}] of ${n}`;

const lines: readonly (readonly [title: string, of: (score: Score) => Figure])[] = [
  ['root device first (AC@1)', ({ ac1 }) => ac1],
  ['root device in first three (AC@3)', ({ ac3 }) => ac3],
  ['chain edge F1', ({ chainF1 }) => chainF1],
  ['false accusations', ({ falseAccusations }) => falseAccusations],
  ['missing layer admitted', ({ admitted }) => admitted],
  ['software cause first', ({ software }) => software],
  ['expected calibration error', (all) => all.calibrationError],
  ['  of the links of chains', (all) => all.linkCalibrationError],
  ['missed', ({ missed }) => missed],
];

/** Both engines side by side: all, easy and hard apart, then per family. 95 % intervals in brackets. */
export function printScores(ours: readonly Verdict[], seeds: readonly Verdict[]): void {
  const groups = [
    ['all', () => true],
    ['easy', ({ label }: Verdict) => !label.hard],
    ['hard', ({ label }: Verdict) => label.hard],
  ] as const;
  for (const [name, isInGroup] of groups) {
    const [mine, seed] = [score(ours.filter(isInGroup)), score(seeds.filter(isInGroup))];
    console.log(`\n${name.padEnd(36)}${'correlator'.padEnd(32)}seed's engine`);
    for (const [title, of] of lines)
      console.log(`  ${title.padEnd(34)}${shown(of(mine)).padEnd(32)}${shown(of(seed))}`);
    console.log(
      `  ${'time per incident, reading once'.padEnd(34)}${`${mine.milliseconds.toFixed(0)} ms`.padEnd(32)}${seed.milliseconds.toFixed(0)} ms`,
    );
  }
  console.log('\nright; AC@1 / AC@3, or wrongly accused; calibration error, in %');
  console.log(`${''.padEnd(38)}${'correlator'.padEnd(32)}seed's engine`);
  for (const family of [...families, ...jobFamilies]) {
    const [mine, seed] = [ours, seeds].map((all) => all.filter(({ label }) => label.family === family));
    if (mine && seed && mine.length > 0)
      console.log(`  ${family.padEnd(36)}${familyLine(mine).padEnd(32)}${familyLine(seed)}`);
  }
  printVariants(ours, seeds);
  const twins = ours.filter(({ label }) => label.alike > 0);
  const right = `${twins.filter(isRight).length} of ${twins.length} right`;
  console.log(
    `\nsilent root causes that the recording cannot distinguish from another device, which also counts: ${right}`,
  );
}

/** The hard incidents once more, by what makes them hard; one may have several difficulties. */
function printVariants(ours: readonly Verdict[], seeds: readonly Verdict[]): void {
  console.log(`\n${'right among those with'.padEnd(38)}${'correlator'.padEnd(32)}seed's engine`);
  for (const variant of variants) {
    const [mine, seed] = [ours, seeds].map((all) => all.filter(({ label }) => label.variants.includes(variant)));
    if (mine && seed && mine.length > 0)
      console.log(`  ${variant.padEnd(36)}${familyLine(mine).padEnd(32)}${familyLine(seed)}`);
  }
}

function familyLine(verdicts: readonly Verdict[]): string {
  const right = verdicts.filter(isRight).length;
  const { ac1, ac3, falseAccusations, calibrationError } = score(verdicts);
  const found =
    ac1.n > 0 ? `${percent(ac1.value)} / ${percent(ac3.value)}` : `${percent(falseAccusations.value)} accused`;
  return `${right} of ${verdicts.length}`.padEnd(10) + found.padEnd(13) + percent(calibrationError.value);
}

/** One line per wrong verdict: truth, answer, probability and evidence. */
export function printWrong(verdicts: readonly Verdict[]): void {
  console.log('\nwrong:');
  for (const verdict of verdicts) {
    if (isRight(verdict)) continue;
    const { label, answer, rank } = verdict;
    const root = label.root ?? (label.guilty_service ? { kind: 'service', id: label.guilty_service } : null);
    const truth = `${label.expected} ${root ? `${root.kind}:${root.id}` : ''} (${label.root_event_id ?? 'unrecorded'})`;
    const where = Number.isFinite(rank) ? `truth at ${rank}` : 'truth not listed';
    const [first] = answer?.hypotheses ?? [];
    console.log(
      `${label.id} [${label.variants.join(' ')}] true: ${truth}; ${answer ? `${answer.service} answered: ${first ? hypothesisLine(first) : 'nothing'}; ${where}` : 'missed'}`,
    );
  }
}

function hypothesisLine({ subject, type, probability, event_id, evidence }: TypedHypothesis): string {
  const top = evidence.toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight)).slice(0, 3);
  const why = top.map((one) => `${one.weight > 0 ? '+' : ''}${one.weight.toFixed(1)} ${evidenceText(one)}`).join(' | ');
  return `${probability.toFixed(2)} ${type} ${subject ? `${subject.kind}:${subject.id}` : ''} (${event_id ?? '-'}) {${why}}`;
}
