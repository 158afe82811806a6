import { csvCell, csvLines, csvText } from '../../../base/csv.ts';
import {
  costDimensions,
  type ServingCostLine,
  type ServingCosts,
  type ServingService,
} from '../../../model/contract/costs.ts';
import { costGapText, idleText, priceText, rangeText, servingText } from '../../../model/incident/cost.ts';
import { parseTime } from '../../../model/time.ts';
import { readRates } from '../rates-option.ts';
import { type Command, oneOf, positional, text, toJson, withCore } from './command.ts';
import { messages } from './messages/costs.ts';

export const costsCommand: Command = {
  name: 'costs',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    by: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    rates: { type: 'string' },
    'gpu-rate': { type: 'string' },
    csv: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  run: async (invocation) => {
    const { terminal, values } = invocation;
    const rates = await readRates(invocation);
    const by = text(invocation, 'by') === null ? null : oneOf(invocation, 'by', costDimensions, 'service');
    const time = (name: string): bigint | null => {
      const optionText = text(invocation, name);
      return optionText === null ? null : parseTime(optionText);
    };
    await withCore(invocation, undefined, async (core) => {
      const info = await core.openCase(positional(invocation, 0, 'CASE'));
      const window = { start_ns: time('from') ?? info.first_ns ?? 0n, end_ns: time('to') ?? info.last_ns ?? 0n };
      const costs = await core.api['costs.list']({ ...window, rates }, { signal: terminal.signal });
      const lines = costs.lines.filter(({ dimension }) => by === null || dimension === by);
      if (values['json']) return terminal.out(toJson({ ...costs, lines }));
      if (values['csv']) return terminal.data(csvOf(costs.currency, lines));
      terminal.out(textOf({ ...costs, lines }));
    });
  },
};

function textOf({ services, lines, currency, truncated }: ServingCosts): string {
  if (services.length === 0) return `${messages.nothing}\n`;
  const { gpuSeconds, notRecorded } = messages;
  const rows = lines.map((line) => [
    line.service,
    line.dimension,
    line.dimension === 'service' ? '' : (line.value ?? notRecorded),
    String(line.requests),
    rangeText(line.gpu_seconds, gpuSeconds),
    rangeText(line.cost, currency),
    rangeText(line.per_request, currency),
    rangeText(line.per_1k_tokens, currency),
  ]);
  const cells = [messages.columns, ...rows];
  const widths = messages.columns.map((_, i) => Math.max(...cells.map((row) => row[i]!.length)));
  const table = cells.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
  const heads = services.flatMap((service) => serviceLines(service, currency));
  const listed = rows.length === 0 ? [] : ['', ...table];
  return `${[...heads, ...listed, ...(truncated ? [messages.truncated] : [])].join('\n')}\n`;
}

function serviceLines(service: ServingService, currency: string): string[] {
  const { gap, gpu_types, idle_share, idle_cost } = service;
  if (gap === 'no_gpus') return [`${service.service}: ${costGapText(gap)}`];
  const types = gpu_types.map(({ model, gpus, rate }) =>
    messages.type(
      gpus,
      model ?? messages.unknownModel,
      rate ? messages.rate(priceText(rate, currency), rate.source, rate.as_of) : messages.noRate,
    ),
  );
  return [
    messages.served(service.service, servingText(service), types.join('; ')),
    messages.idle(idleText(idle_share), gap ? costGapText(gap) : rangeText(idle_cost, currency)),
  ];
}

function csvOf(currency: string, lines: readonly ServingCostLine[]): string {
  const pair = (name: string): string[] => [`${name}_low`, `${name}_high`];
  const names = [
    ...['service', 'dimension', 'value', 'requests', 'input_tokens', 'output_tokens', 'currency'],
    ...['gpu_seconds', 'cost', 'cost_per_request', 'cost_per_1k_tokens'].flatMap(pair),
  ];
  const rows = lines.map(({ service, dimension, value, requests, input_tokens, output_tokens, ...line }) => [
    ...[service, dimension, value, requests, input_tokens, output_tokens, currency],
    ...[line.gpu_seconds, line.cost, line.per_request, line.per_1k_tokens].flatMap((range) => [
      range?.low ?? null,
      range?.high ?? null,
    ]),
  ]);
  return csvLines([names.map(csvText), ...rows.map((row) => row.map(csvCell))]);
}
