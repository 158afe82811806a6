import type { FoundTrace, Output } from '../../../model/contract/index.ts';
import {
  costGapText,
  rangeText,
  servingText,
  type TraceCost,
  type TraceServiceCost,
} from '../../../model/incident/cost.ts';
import { ProblemError } from '../../../model/problem.ts';
import { formatUtc, nanos, parseTime } from '../../../model/time.ts';
import { offsetOf } from '../../../model/traceql/problem.ts';
import { type Command, type Invocation, number, oneOf, positional, shown, text, toJson, withCore } from './command.ts';
import { messages } from './messages/traces.ts';

const LIMIT = 100;

export const tracesCommand: Command = {
  name: 'traces',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    order: { type: 'string' },
    limit: { type: 'string' },
    'cost-of': { type: 'string' },
    rates: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: (invocation) => {
    const trace = text(invocation, 'cost-of');
    if (trace !== null) return printCost(invocation, trace);
    const path = positional(invocation, 0, 'CASE');
    const query = positional(invocation, 1, 'TRACEQL');
    const time = (name: string) => {
      const optionText = text(invocation, name);
      return optionText === null ? null : parseTime(optionText);
    };
    const searchInput = {
      query,
      start_ns: time('from'),
      end_ns: time('to'),
      order: oneOf(invocation, 'order', ['slowest', 'earliest', 'most_matched'], 'slowest'),
      limit: number(invocation, 'limit') ?? LIMIT,
    };
    return withCore(invocation, undefined, async (core) => {
      await core.openCase(path);
      const { terminal } = invocation;
      const found = await pointed(query, () => core.api['traces.search'](searchInput, { signal: terminal.signal }));
      terminal.out(invocation.values.json ? toJson({ query, ...found }) : asTable(found));
      if (found.truncated)
        terminal.err(`faultline: ${messages.truncated(found.traces.length, found.trace_count, searchInput.order)}\n`);
    });
  },
};

async function printCost(invocation: Invocation, trace_id: string): Promise<void> {
  const path = positional(invocation, 0, 'CASE');
  const { terminal } = invocation;
  const file = text(invocation, 'rates');
  const rates = file === null ? null : await terminal.readFile(file);
  await withCore(invocation, undefined, async (core) => {
    await core.openCase(path);
    const cost = await core.api['trace.cost']({ trace_id, rates }, { signal: terminal.signal });
    terminal.out(invocation.values.json ? toJson({ trace_id, ...cost }) : costText(cost));
  });
}

function costText({ services, gpu_seconds, cost, gap, currency }: TraceCost): string {
  const texts = messages.cost;
  const costs = (service: TraceServiceCost): readonly string[] => [
    service.service,
    rangeText(service.gpu_seconds, texts.gpuSeconds),
    service.gap ? costGapText(service.gap) : rangeText(service.cost, currency),
    servingText(service),
    service.in_flight === null ? '' : texts.parallel(service.in_flight.toFixed(1)),
    service.per_1k_tokens === null ? '' : texts.perTokens(rangeText(service.per_1k_tokens, currency)),
  ];
  const whole = gap ? texts.unknown(costGapText(gap)) : rangeText(cost, currency);
  return [
    ...services.map((one) =>
      costs(one)
        .filter((part) => part !== '')
        .join('; '),
    ),
    texts.total(rangeText(gpu_seconds, texts.gpuSeconds), whole),
    '',
  ].join('\n');
}

/** Repeats a refused search in the hint, with a mark below the character that is wrong. */
async function pointed<T>(query: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const offset = error instanceof ProblemError ? offsetOf(error.problem) : null;
    if (!(error instanceof ProblemError) || offset === null) throw error;
    const { hint, ...problem } = error.problem;
    const lines = [query.replaceAll(/\s/g, ' '), `${' '.repeat(offset)}^`, ...(hint === undefined ? [] : [hint])];
    throw new ProblemError({ ...problem, hint: lines.join('\n') });
  }
}

const columns: readonly (readonly [string, (trace: FoundTrace) => string, 'left' | 'right'])[] = [
  [messages.columns.trace, ({ trace_id }) => trace_id, 'left'],
  [messages.columns.start, ({ start_ns }) => formatUtc(nanos(start_ns)), 'left'],
  [messages.columns.duration, ({ duration_ms }) => duration_ms.toFixed(3), 'right'],
  [messages.columns.spans, ({ spans }) => String(spans), 'right'],
  [messages.columns.errors, ({ errors }) => String(errors), 'right'],
  [messages.columns.matched, ({ matched }) => String(matched), 'right'],
  [messages.columns.longest, ({ longest_ms }) => longest_ms.toFixed(3), 'right'],
  [messages.columns.root, traceRootText, 'left'],
];

function traceRootText({ root_service, root_name, root_recorded }: FoundTrace): string {
  const root = messages.root(root_service ?? messages.unknownService, root_name ?? messages.unnamed);
  const line = shown(root.replaceAll(/\s+/g, ' '));
  return root_recorded ? line : messages.noRoot(line);
}

function asTable({ traces, trace_count, span_count }: Output<'traces.search'>): string {
  const cells = traces.map((trace) => columns.map(([, cell]) => cell(trace)));
  const widths = columns.map(([title], at) => Math.max(title.length, ...cells.map((row) => row[at]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (columns[at]?.[2] === 'right' ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  const counted = messages.counted(span_count, trace_count);
  return `${[...(traces.length === 0 ? [] : [line(columns.map(([title]) => title)), ...cells.map(line)]), counted].join('\n')}\n`;
}
