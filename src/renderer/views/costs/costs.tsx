import { useState } from 'react';
import {
  type CostDimension,
  costDimensions,
  type ServingCostLine,
  type ServingCosts,
  type ServingService,
} from '../../../model/contract/costs.ts';
import { costGapText, idleText, priceText, rangeText, servingText } from '../../../model/incident/cost.ts';
import { formatDate, formatTime, zoneName } from '../../draw/text/format-time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import './costs.css';
import { messages } from './messages.ts';

interface CostsProps {
  readonly costs: ServingCosts;
  /** Of these requests: the one that is chosen may have changed since. */
  readonly window: TimeWindow;
}

/** What the requests of a window took of the GPUs that serve them; every table can be saved as CSV from its menu. */
export function Costs({ costs: { currency, services, lines, truncated }, window }: CostsProps) {
  const format = useTimeFormat();
  const [by, setBy] = useState<CostDimension>('model');
  const served = services.filter(({ gap }) => gap !== 'no_gpus');
  if (served.length === 0) return <p className="empty muted">{messages.empty}</p>;
  const hasRates = served.some(({ gap }) => gap !== 'no_rates');
  return (
    <div className="costs" data-testid="costs">
      <p className="muted">
        {messages.covers(
          `${formatDate(window.startNs, format)} ${formatTime(window.startNs, format, 0)}`,
          `${formatTime(window.endNs, format, 0)} ${zoneName(format.mode)}`,
        )}{' '}
        {messages.method} {hasRates ? '' : messages.noRates} {truncated ? messages.truncated : ''} {pricesText(served)}
      </p>
      <DataTable<ServingService>
        label={messages.services}
        columns={serviceColumns(currency)}
        rows={served}
        keyOf={({ service }) => service}
        empty={messages.empty}
      />
      <div className="costs-bar" role="toolbar" aria-label={messages.by}>
        <span className="muted">{messages.by}</span>
        {costDimensions.map((dimension) => (
          <button
            key={dimension}
            type="button"
            className="plain"
            aria-pressed={dimension === by}
            onClick={() => setBy(dimension)}
          >
            {messages.dimensions[dimension]}
          </button>
        ))}
      </div>
      <DataTable<ServingCostLine>
        label={messages.table}
        columns={lineColumns(currency, by)}
        rows={lines.filter(({ dimension }) => dimension === by)}
        keyOf={({ service, value }) => JSON.stringify([service, value])}
        empty={messages.empty}
      />
    </div>
  );
}

const serviceColumns = (currency: string): Column<ServingService>[] => [
  { id: 'service', title: messages.columns.service, width: 'minmax(88px, 1fr)', cell: ({ service }) => service },
  { id: 'gpus', title: messages.columns.gpus, width: 'minmax(168px, 2fr)', cell: gpusText },
  {
    id: 'price',
    title: messages.columns.price,
    width: 'minmax(160px, 1fr)',
    cell: rateTexts((rate) => priceText(rate, currency)),
  },
  {
    id: 'as-of',
    title: messages.columns.asOf,
    width: '88px',
    cell: rateTexts(({ as_of }) => as_of || messages.undated),
  },
  {
    id: 'idle',
    title: messages.columns.idle,
    numeric: true,
    width: '72px',
    cell: ({ idle_share }) => idleText(idle_share),
  },
  {
    id: 'idle-cost',
    title: messages.columns.idleCost,
    numeric: true,
    width: '144px',
    cell: ({ idle_cost, gap }) => (gap ? costGapText(gap) : rangeText(idle_cost, currency)),
  },
  {
    id: 'source',
    title: messages.columns.source,
    width: '440px',
    optional: true,
    cell: rateTexts(({ source }) => source),
  },
];

function gpusText(service: ServingService): string {
  const types = service.gpu_types.map(({ gpus, model }) => messages.type(gpus, model ?? messages.unknownModel));
  return service.shared_gpus === 0 ? types.join(', ') : `${types.join(', ')} (${servingText(service)})`;
}

/** Which line of the catalog each GPU model costs by: an instance type, or a contract, and its day. */
function pricesText(services: readonly ServingService[]): string {
  const texts = services.flatMap(({ gpu_types }) =>
    gpu_types.flatMap(({ model, rate }) =>
      rate ? [messages.priced(model ?? messages.unknownModel, rate.source, rate.as_of || messages.undated)] : [],
    ),
  );
  return [...new Set(texts)].join(' ');
}

type Rate = NonNullable<ServingService['gpu_types'][number]['rate']>;

/** Of each GPU model in turn. */
const rateTexts =
  (textOf: (rate: Rate) => string) =>
  ({ gpu_types }: ServingService): string =>
    gpu_types.map(({ rate }) => (rate ? textOf(rate) : messages.noRate)).join(', ');

const tokensText = ({ input_tokens, output_tokens }: ServingCostLine): string =>
  [input_tokens, output_tokens].map((tokens) => (tokens === null ? '?' : formatCount(tokens))).join(' / ');

function lineColumns(currency: string, by: CostDimension): Column<ServingCostLine>[] {
  const money = (
    id: string,
    title: string,
    of: (line: ServingCostLine) => ServingCostLine['cost'],
    { unit = currency, least = 128 }: { readonly unit?: string; readonly least?: number } = {},
  ): Column<ServingCostLine> => ({
    ...{ id, title, numeric: true, width: `minmax(${least}px, 1fr)` },
    cell: (line) => rangeText(of(line), unit),
    sort: (line) => of(line)?.high ?? -1,
  });
  const value: Column<ServingCostLine> = {
    id: 'value',
    title: messages.dimensions[by],
    width: 'minmax(104px, 1fr)',
    cell: (line) => line.value ?? messages.notRecorded,
    sort: (line) => line.value ?? '',
  };
  return [
    { id: 'service', title: messages.columns.service, width: 'minmax(88px, 1fr)', cell: ({ service }) => service },
    ...(by === 'service' ? [] : [value]),
    {
      id: 'requests',
      title: messages.columns.requests,
      numeric: true,
      width: '64px',
      cell: ({ requests }) => formatCount(requests),
      sort: ({ requests }) => requests,
    },
    money('gpu-time', messages.columns.gpuTime, ({ gpu_seconds }) => gpu_seconds, { unit: 's', least: 88 }),
    money('cost', messages.columns.cost, ({ cost }) => cost, { least: 112 }),
    money('per-request', messages.columns.perRequest, ({ per_request }) => per_request),
    money('per-tokens', messages.columns.perTokens, ({ per_1k_tokens }) => per_1k_tokens),
    { id: 'tokens', title: messages.columns.tokens, numeric: true, width: '112px', optional: true, cell: tokensText },
  ];
}
