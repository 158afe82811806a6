import type { TraceGroup } from '../../../model/contract/index.ts';
import {
  costGapText,
  rangeText,
  servingText,
  type TraceCost,
  type TraceServiceCost,
} from '../../../model/incident/cost.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { spanOfRef } from '../../draw/traces/trace-group-text.ts';
import { recordTarget } from '../../state/actions.ts';
import { useCall } from '../../state/use-answer.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { messages } from './messages.ts';

interface TraceGroupCostProps {
  /** Of the requested trace, as hex. */
  readonly traceId: string;
  readonly traceGroup: TraceGroup;
  readonly onShow: (span: number) => void;
}

/** The GPU time of the requested trace on the GPUs that served it. */
export function TraceGroupCost({ traceId, traceGroup, onShow }: TraceGroupCostProps) {
  const { value, problem, slow, retry } = useCall('trace.cost', { trace_id: traceId });
  return (
    <div className="trace-detail-panel">
      {problem ? <ProblemNote problem={problem} what={messages.cost.what} onRetry={retry} /> : null}
      {slow ? <Progress label={messages.cost.loading} /> : null}
      {value === undefined ? null : <CostOf cost={value} traceGroup={traceGroup} onShow={onShow} />}
    </div>
  );
}

function CostOf({ cost, traceGroup, onShow }: Omit<TraceGroupCostProps, 'traceId'> & { readonly cost: TraceCost }) {
  const show = ({ refs }: TraceServiceCost) => onShow(Math.max(spanOfRef(traceGroup, refs[0] ?? null), 0));
  return (
    <>
      <p className="trace-detail-left" data-testid="trace-cost">
        {costText(cost)}
        {traceGroup.traces.length > 1 ? <span className="muted"> {messages.cost.thisOnly}</span> : null}{' '}
        <span className="muted">{messages.cost.method}</span>
      </p>
      <DataTable<TraceServiceCost>
        label={messages.cost.table}
        columns={columnsOf(cost.currency)}
        rows={cost.services}
        keyOf={({ service }) => service}
        onSelect={show}
        actionsOf={({ service, refs: [longest, ...others] }) =>
          longest ? recordTarget(service, [longest, ...others]) : null
        }
        empty={messages.cost.noService}
      />
    </>
  );
}

function costText({ gpu_seconds, cost, gap, currency }: TraceCost): string {
  if (gpu_seconds === null) return messages.cost.noGpus;
  const took = messages.cost.took(rangeText(gpu_seconds, messages.cost.gpuSeconds));
  if (gap === 'no_rates') return messages.cost.noRates(took);
  return gap ? messages.cost.gap(took, costGapText(gap)) : messages.cost.cost(took, rangeText(cost, currency));
}

const tokenText = ({ tokens }: TraceServiceCost): string =>
  tokens === null
    ? ''
    : [
        ...(tokens.input === null ? [] : [messages.cost.tokensIn(formatCount(tokens.input))]),
        ...(tokens.output === null ? [] : [messages.cost.tokensOut(formatCount(tokens.output))]),
      ].join(', ');

const tokensOf = ({ tokens }: TraceServiceCost): number => (tokens?.input ?? 0) + (tokens?.output ?? 0);

const columnsOf = (currency: string): Column<TraceServiceCost>[] => [
  {
    id: 'service',
    title: messages.service,
    width: 'minmax(112px, 1fr)',
    cell: ({ service }) => service,
    sort: ({ service }) => service,
  },
  {
    id: 'gpu-time',
    title: messages.cost.gpuTime,
    numeric: true,
    width: '96px',
    cell: ({ gpu_seconds }) => rangeText(gpu_seconds, 's'),
    sort: ({ gpu_seconds }) => gpu_seconds?.high ?? -1,
  },
  {
    id: 'cost',
    title: messages.cost.costColumn,
    numeric: true,
    width: '152px',
    cell: ({ cost }) => rangeText(cost, currency),
    sort: ({ cost }) => cost?.high ?? -1,
  },
  {
    id: 'per-1k',
    title: messages.cost.perTokens,
    numeric: true,
    width: '128px',
    cell: ({ tokens, per_1k_tokens }) => (tokens === null ? '' : rangeText(per_1k_tokens, currency)),
    sort: ({ per_1k_tokens }) => per_1k_tokens?.high ?? -1,
  },
  { id: 'tokens', title: messages.cost.tokens, numeric: true, width: '64px', cell: tokenText, sort: tokensOf },
  {
    id: 'duration',
    title: messages.cost.duration,
    numeric: true,
    width: '56px',
    cell: ({ duration_s }) => formatDuration(duration_s * 1e9),
    sort: ({ duration_s }) => duration_s,
  },
  {
    id: 'in-flight',
    title: messages.cost.inFlight,
    numeric: true,
    width: '56px',
    cell: ({ in_flight }) => (in_flight === null ? '' : in_flight.toFixed(1)),
    sort: ({ in_flight }) => in_flight ?? 0,
  },
  {
    id: 'gpus',
    title: messages.cost.servedBy,
    width: 'minmax(88px, 1fr)',
    cell: (row) => (row.gap === 'no_gpus' ? messages.cost.noGpu : servingText(row)),
    sort: ({ gpus, shared_gpus }) => gpus + shared_gpus,
  },
];
