import { listParameters, parameterText, setParameters } from '../src/core/analysis/parameters.ts';
import { fittedWeights } from '../src/core/analysis/ranking/weights.ts';
import { fail } from '../src/model/problem.ts';
import { options } from './options.ts';

/** What is judgement or tuned in the analysis, and how many numbers that are. */
export function benchParameters(): void {
  const all = listParameters();
  const stages = Map.groupBy(all, ({ stage }) => stage);
  for (const [stage, own] of stages) {
    console.log(`\n${stage}`);
    for (const { name, value, meaning } of own)
      console.log(`  ${name.padEnd(28)}${parameterText(value).padStart(9)}  ${meaning}`);
  }
  console.log(`\n${all.length} parameters of ${stages.size} stages, ${fittedWeights().size} weights in weights.yaml`);
}

/**
 * Sets the parameters that the command line states: `--set impact.timesWorse=2.5`, as often as wanted.
 * @throws ProblemError `parameter.unknown` or `parameter.unreadable`
 */
export function applySettings(): void {
  const settings = new Map((options.set ?? []).map(readSetting));
  setParameters(settings);
  for (const { stage, name, value, defined } of listParameters())
    if (settings.has(`${stage}.${name}`))
      console.log(`${stage}.${name} is ${parameterText(value)} instead of ${parameterText(defined)}`);
}

function readSetting(text: string): readonly [string, number] {
  const [, name, number] = /^([A-Za-z.]+)=(\S+)$/.exec(text) ?? [];
  const value = Number(number);
  if (name !== undefined && Number.isFinite(value)) return [name, value];
  return fail('parameter.unreadable', `cannot read the setting "${text}"`, {
    hint: 'write it as impact.timesWorse=2.5',
  });
}
