import type { Input } from '../../../model/contract/index.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { readWhatIf, whatIfOptions } from '../what-if-options.ts';
import {
  type Command,
  type Core,
  type Invocation,
  number,
  oneOf,
  shown,
  text,
  toJson,
  UsageError,
  withCore,
} from './command.ts';
import { importInto } from './import.ts';
import { messages } from './messages/correlate.ts';

export const correlateCommand: Command = {
  name: 'correlate',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    service: { type: 'string' },
    at: { type: 'string' },
    events: { type: 'string' },
    traces: { type: 'string' },
    topology: { type: 'string' },
    window: { type: 'string' },
    lag: { type: 'string' },
    baseline: { type: 'string' },
    'baseline-of': { type: 'string', multiple: true },
    confidence: { type: 'string' },
    'gpu-rate': { type: 'string' },
    rates: { type: 'string' },
    output: { type: 'string' },
    json: { type: 'boolean' },
    ...whatIfOptions,
  },
  run: async (invocation) => {
    const normal = (invocation.values['baseline-of'] as string[] | undefined) ?? [];
    const output = oneOf(
      invocation,
      'output',
      ['timeline', 'json', 'markdown'],
      invocation.values['json'] ? 'json' : 'timeline',
    );
    const options = { ...readOptions(invocation), baseline_of: normal };
    const what_if = readWhatIf(invocation);
    const file = text(invocation, 'rates');
    const rates = file === null ? null : await invocation.terminal.readFile(file);
    const files = ['events', 'traces', 'topology'].flatMap((name) => text(invocation, name) ?? []);
    const path = invocation.positionals[0];
    if (path === undefined && files.length === 0) throw new UsageError(messages.noInput);
    if (path !== undefined && files.length > 0) throw new UsageError(messages.twoInputs);
    await withCore(invocation, files.length > 0 ? ':memory:' : undefined, async (core) => {
      if (path !== undefined) await core.openCase(path);
      else await importStrictly(core, [...files, ...normal], invocation);
      const { terminal } = invocation;
      if (output !== 'json')
        return terminal.out((await core.api['correlate.render']({ options, format: output, what_if, rates })).text);
      const costs = rates === null ? {} : { costs: await core.api['incidents.costs']({ options, rates }) };
      if (what_if === null) return terminal.out(toJson({ report: await core.api.correlate(options), ...costs }));
      const { report, supposed, incidents } = await core.api['incidents.whatIf']({ options, what_if });
      const changes = incidents.map(({ change }) => change);
      terminal.out(toJson({ report, ...costs, what_if: { supposed, ...what_if, changes } }));
    });
  },
};

/** Skipped records that are printed one by one. */
const MOST_LINES = 5;

function readOptions(invocation: Invocation): Input<'correlate'> {
  const optionValues = {
    window: number(invocation, 'window'),
    lag: number(invocation, 'lag'),
    baseline: number(invocation, 'baseline'),
    confidence: number(invocation, 'confidence'),
    gpu_rate: number(invocation, 'gpu-rate'),
  };
  return {
    ...Object.fromEntries(Object.entries(optionValues).filter(([, value]) => value !== undefined)),
    service: text(invocation, 'service'),
    at: text(invocation, 'at'),
  };
}

/**
 * Scripts pass three files and rely on the answer: a refused file, or a time without a zone, ends the run, because
 * evidence would be missing. Other bad records are skipped with a line on standard error.
 */
async function importStrictly(core: Core, files: readonly string[], { terminal }: Invocation): Promise<void> {
  await core.placeCase(':memory:');
  const events = await importInto(core, files, { format: null, clocks: {}, keep: true }, terminal);
  for (const event of events) {
    if (event.kind === 'problem')
      throw new ProblemError({
        code: event.problem.code,
        message: event.problem.message,
        ...(event.problem.hint === undefined ? {} : { hint: event.problem.hint }),
      });
  }
  const { total, rows } = await core.api['rejects.list']({ limit: 1000 });
  const zoneless = rows.find(({ reason }) => reason.includes('[time.no_zone]'));
  if (zoneless)
    fail('time.no_zone', messages.noZone.message(zoneless.source, zoneless.reason.replace(' [time.no_zone]', '')), {
      hint: messages.noZone.hint,
    });
  const read = events.reduce(
    (sum, event) => sum + (event.kind === 'source' ? Object.values(event.source.rows).reduce((a, b) => a + b, 0) : 0),
    0,
  );
  if (total > 0 && read === 0) fail('import.nothing_read', messages.nothingRead(rows[0]?.source, rows[0]?.reason));
  for (const row of rows.slice(0, MOST_LINES))
    terminal.err(`faultline: ${messages.skipped(shown(row.source), shown(row.reason))}\n`);
  if (total > MOST_LINES) terminal.err(`faultline: ${messages.moreSkipped(total - MOST_LINES)}\n`);
}
