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

export const correlateCommand: Command = {
  name: 'correlate',
  summary: 'rank root causes, in a case or in PowerTrace files',
  usage: [
    'faultline correlate CASE [--service S] [--at TIME] [options]',
    'faultline correlate --events F --traces F --topology F [options]',
    '  options: --window 5 --lag 60 --baseline 600 --confidence 0.6 --gpu-rate USD_PER_HR --output timeline|json|markdown',
    '  --rates FILE: GPU prices (docs/rates.example.yaml); adds "costs" to the JSON',
    '  what if: --without-layer LAYER --without-event ID --shift SOURCE=+-SECONDS --move-feed ENTITY=SUPPLY[,INSTEAD_OF] (no SUPPLY: removed)',
  ].join('\n'),
  options: {
    service: { type: 'string' },
    at: { type: 'string' },
    events: { type: 'string' },
    traces: { type: 'string' },
    topology: { type: 'string' },
    window: { type: 'string' },
    lag: { type: 'string' },
    baseline: { type: 'string' },
    confidence: { type: 'string' },
    'gpu-rate': { type: 'string' },
    rates: { type: 'string' },
    output: { type: 'string' },
    ...whatIfOptions,
  },
  run: async (invocation) => {
    const output = oneOf(invocation, 'output', ['timeline', 'json', 'markdown'], 'timeline');
    const options = readOptions(invocation);
    const what_if = readWhatIf(invocation);
    const file = text(invocation, 'rates');
    const rates = file === null ? null : await invocation.terminal.readFile(file);
    const files = ['events', 'traces', 'topology'].flatMap((name) => text(invocation, name) ?? []);
    const path = invocation.positionals[0];
    if (path === undefined && files.length === 0)
      throw new UsageError('name a CASE, or --events, --traces and --topology');
    if (path !== undefined && files.length > 0) throw new UsageError('name either a CASE or files, not both');
    await withCore(invocation, files.length > 0 ? ':memory:' : undefined, async (core) => {
      if (path !== undefined) await core.openCase(path);
      else await importStrictly(core, files, invocation);
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
 * Scripts hand over three files and trust the answer: a file that is refused, or a time without a zone in it, ends
 * the run instead of thinning the evidence. Other bad records are skipped with a line on standard error.
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
    fail('time.no_zone', `${zoneless.source}: ${zoneless.reason.replace(' [time.no_zone]', '')}`, {
      hint: 'add Z or an offset such as +02:00; Faultline never guesses a zone',
    });
  const read = events.reduce(
    (sum, event) => sum + (event.kind === 'source' ? Object.values(event.source.rows).reduce((a, b) => a + b, 0) : 0),
    0,
  );
  if (total > 0 && read === 0)
    fail('import.nothing_read', `none of the records could be read; the first: ${rows[0]?.source}: ${rows[0]?.reason}`);
  for (const row of rows.slice(0, 5)) terminal.err(`faultline: skipped ${shown(row.source)}: ${shown(row.reason)}\n`);
  if (total > 5) terminal.err(`faultline: ${total - 5} more records skipped\n`);
}
