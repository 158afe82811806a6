import { join } from 'node:path';
import { type DemoScenario, demoScenarioNames, demoScenarios, scenarioLimits } from '../../../model/demo-scenario.ts';
import { type Command, type Invocation, number, oneOf, text, UsageError, withCore } from './command.ts';
import { importInto } from './import.ts';
import { messages } from './messages/demo.ts';

const WIDTH = Math.max(...demoScenarioNames.map((name) => name.length)) + 2;
const scenarioLines = demoScenarioNames.map((name) => `  ${name.padEnd(WIDTH)}${demoScenarios[name]}`);

export const demoCommand: Command = {
  name: 'demo',
  summary: messages.summary,
  usage: `${messages.usage}\n${messages.scenarios(scenarioLines)}`,
  options: {
    dir: { type: 'string' },
    scenario: { type: 'string' },
    rate: { type: 'string' },
    minutes: { type: 'string' },
  },
  run: async (invocation) => {
    const { terminal } = invocation;
    const scenario = scenarioOf(invocation);
    const directory =
      text(invocation, 'dir') ??
      invocation.positionals[0] ??
      (scenario ? `faultline-demo-${scenario}` : 'faultline-demo');
    const written = await write(invocation, scenario, join(directory, 'files'));
    const path = join(directory, scenario ? `${scenario}.faultline` : 'demo.faultline');
    await withCore(invocation, undefined, async (core) => {
      await core.placeCase(path);
      terminal.outlastOutput();
      const events = await importInto(core, written.paths, { format: null, clocks: {} }, terminal);
      const imported = events.filter(({ kind }) => kind === 'source').length;
      const lines = [
        messages.wroteFiles(written.files ?? imported, join(directory, 'files')),
        messages.wroteCase(path),
        ...written.truth,
        messages.next(path),
      ];
      terminal.out(`${lines.join('\n')}\n`);
    });
  },
};

/** null: the demo incident. */
function scenarioOf(invocation: Invocation): DemoScenario | null {
  if (text(invocation, 'scenario') !== null) return oneOf(invocation, 'scenario', demoScenarioNames, 'power-sag');
  for (const option of ['rate', 'minutes'] as const)
    if (text(invocation, option) !== null) throw new UsageError(messages.needsScenario(option));
  return null;
}

async function write(
  invocation: Invocation,
  scenario: DemoScenario | null,
  folder: string,
): Promise<{ readonly paths: readonly string[]; readonly files?: number; readonly truth: readonly string[] }> {
  const { terminal } = invocation;
  if (scenario === null) return { paths: await terminal.writeDemo(folder), truth: [] };
  const rate = inRange(invocation, 'rate');
  if ((scenario === 'hang' || scenario === 'worn-parts') && rate !== undefined)
    throw new UsageError(messages.noRequests(scenario));
  const minutes = inRange(invocation, 'minutes');
  if (scenario === 'worn-parts' && minutes !== undefined) throw new UsageError(messages.noMinutes);
  const { paths, files, truth } = await terminal.writeScenario(folder, scenario, {
    ...(rate !== undefined && { rate }),
    ...(minutes !== undefined && { minutes: Math.round(minutes) }),
  });
  const { time, subject, lines } = truth;
  return { paths, files, truth: [messages.truth(time, subject), ...lines.map((line) => `  ${line}`)] };
}

function inRange(invocation: Invocation, option: 'rate' | 'minutes'): number | undefined {
  const value = number(invocation, option);
  const { least, most } = scenarioLimits[option];
  if (value !== undefined && (value < least || value > most))
    throw new UsageError(messages.outOfRange(option, least, most));
  return value;
}
