import { nearestName } from '../../base/nearest-name.ts';
import { fail } from '../../model/problem.ts';
import { causality } from './causality/parameters.ts';
import { chain } from './chain/parameters.ts';
import { clocks } from './clocks/parameters.ts';
import { collectives } from './collectives/parameters.ts';
import { contradictions } from './contradictions/parameters.ts';
import { derive } from './derive/parameters.ts';
import { differences } from './differences/parameters.ts';
import { evidence } from './evidence/parameters.ts';
import { fleet } from './gpus/parameters.ts';
import { impact } from './impact/parameters.ts';
import { jobs } from './jobs/parameters.ts';
import { lifecycle } from './lifecycle/parameters.ts';
import { logs } from './logs/parameters.ts';
import { notices } from './notices/parameters.ts';
import { type StageParameters, stageOf } from './parameter.ts';
import { facilityPatterns } from './patterns/facility/parameters.ts';
import { gpuPatterns } from './patterns/gpu/parameters.ts';
import { networkPatterns } from './patterns/network/parameters.ts';
import { patternLimits, patterns } from './patterns/parameters.ts';
import { platformPatterns } from './patterns/platform/parameters.ts';
import { servingPatterns } from './patterns/serving/parameters.ts';
import { trainingPatterns } from './patterns/training/parameters.ts';
import { ranking } from './ranking/parameters.ts';
import { serving } from './serving/parameters.ts';
import { software } from './software/parameters.ts';
import { topology } from './topology/parameters.ts';

/** Every stage with parameters, in the order of the analysis. */
const stages: Readonly<Record<string, StageParameters>> = {
  derive,
  impact,
  clocks,
  topology,
  causality,
  evidence,
  ranking,
  chain,
  software,
  collectives,
  contradictions,
  patterns,
  patternLimits,
  facilityPatterns,
  gpuPatterns,
  networkPatterns,
  platformPatterns,
  servingPatterns,
  serving,
  trainingPatterns,
  differences,
  logs,
  notices,
  fleet,
  jobs,
  lifecycle,
};

export interface ListedParameter {
  readonly stage: string;
  readonly name: string;
  /** The number in use. */
  readonly value: number;
  /** The number as defined. */
  readonly defined: number;
  readonly meaning: string;
}

/** All parameters with the numbers in use. */
export const listParameters = (): ListedParameter[] =>
  Object.entries(stages).flatMap(([stage, numbers]) => {
    const { definitions, values } = stageOf(numbers);
    return [...definitions].map(([name, { value, meaning }]) => ({
      stage,
      name,
      value: values[name] ?? value,
      defined: value,
      meaning,
    }));
  });

/**
 * Sets parameters of this process, for a sweep. All others are as defined, so that an empty list resets them.
 * @param settings by stage and name: `impact.timesWorse`
 * @throws ProblemError `parameter.unknown`, and then nothing is set
 */
export function setParameters(settings: ReadonlyMap<string, number>): void {
  const known = new Set(listParameters().map(({ stage, name }) => `${stage}.${name}`));
  for (const wanted of settings.keys()) {
    if (known.has(wanted)) continue;
    const hint = `the nearest name is ${nearestName(wanted, known)}`;
    fail('parameter.unknown', `no parameter "${wanted}"`, { hint });
  }
  for (const [stage, numbers] of Object.entries(stages)) {
    const { definitions, values } = stageOf(numbers);
    for (const [name, { value }] of definitions) values[name] = settings.get(`${stage}.${name}`) ?? value;
  }
}

/** `docs/parameters.md`, which lists them. */
export function parametersPage(): string {
  const all = listParameters();
  const lines = Object.keys(stages).flatMap((stage) => {
    const own = all.filter((one) => one.stage === stage);
    const rows = own.map(({ name, defined, meaning }) => `| \`${name}\` | ${parameterText(defined)} | ${meaning} |`);
    return ['', `## ${stage}`, '', '| name | value | meaning |', '| --- | --- | --- |', ...rows];
  });
  return [
    '# Parameters of the analysis',
    '',
    `The ${all.length} numbers that are judgement or tuned, from \`parameters.ts\` of each stage in \`src/core/analysis\`. The weights of the evidence`,
    'are fitted and in `weights.yaml`, physics is in `mechanisms.yaml`: [correlator.md](correlator.md). `npm run bench -- --only parameters` prints',
    'them; `npm run bench -- --only corpus --set impact.timesWorse=2.5` runs the corpus of labelled incidents with another number.',
    'This page is written by `npx vitest run test/core/parameters.test.ts -u`, and a test compares it.',
    ...lines,
    '',
  ].join('\n');
}

/** A number with up to four significant digits. */
export const parameterText = (value: number): string => String(Number(value.toPrecision(4)));
