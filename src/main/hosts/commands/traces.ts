import type { ServiceCall } from '../../../model/contract/index.ts';
import {
  costGapText,
  rangeText,
  servingText,
  type TraceCost,
  type TraceServiceCost,
} from '../../../model/incident/cost.ts';
import { parseTime } from '../../../model/time.ts';
import { alignedTable, type Column } from '../aligned-table.ts';
import { foundTracesTable, isMetric, METRIC_BUCKETS, metricTable, pointed } from '../found-traces.ts';
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
    buckets: { type: 'string' },
    'cost-of': { type: 'string' },
    services: { type: 'boolean' },
    rates: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: (invocation) => {
    const trace = text(invocation, 'cost-of');
    if (trace !== null) return printCost(invocation, trace);
    if (invocation.values.services) return printServices(invocation);
    const path = positional(invocation, 0, 'CASE');
    const query = positional(invocation, 1, 'TRACEQL');
    const searchInput = {
      query,
      ...windowOf(invocation),
      order: oneOf(invocation, 'order', ['slowest', 'earliest', 'most_matched'], 'slowest'),
      limit: number(invocation, 'limit') ?? LIMIT,
    };
    return withCore(invocation, undefined, async (core) => {
      await core.openCase(path);
      const { terminal } = invocation;
      const { start_ns, end_ns } = searchInput;
      if (isMetric(query)) {
        const input = { query, start_ns, end_ns, buckets: number(invocation, 'buckets') ?? METRIC_BUCKETS };
        const metric = await pointed(query, () => core.api['traces.metric'](input, { signal: terminal.signal }));
        terminal.out(invocation.values.json ? toJson({ query, ...metric }) : metricTable(metric));
        return;
      }
      const found = await pointed(query, () => core.api['traces.search'](searchInput, { signal: terminal.signal }));
      terminal.out(invocation.values.json ? toJson({ query, ...found }) : foundTracesTable(found));
      if (found.truncated)
        terminal.err(`faultline: ${messages.truncated(found.traces.length, found.trace_count, searchInput.order)}\n`);
    });
  },
};

function windowOf(invocation: Invocation) {
  const time = (name: string) => {
    const optionText = text(invocation, name);
    return optionText === null ? null : parseTime(optionText);
  };
  return { start_ns: time('from'), end_ns: time('to') };
}

/** `--services`: which service called which. */
const printServices = (invocation: Invocation): Promise<void> =>
  withCore(invocation, undefined, async (core) => {
    await core.openCase(positional(invocation, 0, 'CASE'));
    const { terminal } = invocation;
    const graph = await core.api['traces.services'](windowOf(invocation), { signal: terminal.signal });
    if (invocation.values.json) return terminal.out(toJson(graph));
    const perSecond = ({ calls }: ServiceCall): string => (calls / Math.max(graph.seconds, 1e-9)).toPrecision(3);
    const columns: readonly Column<ServiceCall>[] = [
      [messages.services.caller, ({ caller }) => (caller === null ? '-' : shown(caller)), 'left'],
      [messages.services.callee, ({ callee }) => shown(callee), 'left'],
      [messages.services.calls, ({ calls }) => String(calls), 'right'],
      [messages.services.rate, perSecond, 'right'],
      [messages.services.errors, ({ errors }) => String(errors), 'right'],
      [messages.services.p50, ({ p50_ms }) => p50_ms.toFixed(1), 'right'],
      [messages.services.p95, ({ p95_ms }) => p95_ms.toFixed(1), 'right'],
    ];
    const estimate = graph.share > 1 ? [messages.services.estimated(graph.share)] : [];
    const lines = graph.calls.length === 0 ? [messages.services.none] : alignedTable(columns, graph.calls);
    terminal.out(`${[...estimate, ...lines].join('\n')}\n`);
  });

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
