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
import { client } from '../../state/client.ts';
import { useRates } from '../../state/rates.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';

interface TraceGroupCostProps {
  /** Of the trace that was asked for, as hex. */
  readonly traceId: string;
  readonly traceGroup: TraceGroup;
  readonly onShow: (span: number) => void;
}

/** What the trace that was asked for took of the GPUs that serve its services. */
export function TraceGroupCost({ traceId, traceGroup, onShow }: TraceGroupCostProps) {
  const edition = useRates((state) => state.edition);
  const { value, problem, slow, retry } = useAnswer(`${traceId} ${edition}`, (signal) =>
    client().call('trace.cost', { trace_id: traceId }, signal),
  );
  return (
    <div className="story-panel">
      {problem ? <ProblemNote problem={problem} what="The cost of this trace" onRetry={retry} /> : null}
      {slow ? <Progress label="Working out what this trace cost" /> : null}
      {value === undefined ? null : <CostOf cost={value} traceGroup={traceGroup} onShow={onShow} />}
    </div>
  );
}

function CostOf({
  cost,
  traceGroup: story,
  onShow,
}: Omit<TraceGroupCostProps, 'traceId'> & { readonly cost: TraceCost }) {
  const show = ({ refs }: TraceServiceCost) => onShow(Math.max(spanOfRef(story, refs[0] ?? null), 0));
  return (
    <>
      <p className="story-left" data-testid="trace-cost">
        {costText(cost)}
        {story.traces.length > 1 ? (
          <span className="muted"> Of this trace alone, without those linked with it.</span>
        ) : null}{' '}
        <span className="muted">
          At each instant the GPUs of a service belong in equal parts to the requests that are in flight in it.
        </span>
      </p>
      <DataTable<TraceServiceCost>
        label="Cost of this trace"
        columns={columnsOf(cost.currency)}
        rows={cost.services}
        keyOf={({ service }) => service}
        onSelect={show}
        actionsOf={({ service, refs: [longest, ...others] }) =>
          longest ? recordTarget(service, [longest, ...others]) : null
        }
        empty="No span of this trace names its service."
      />
    </>
  );
}

function costText({ gpu_seconds, cost, gap, currency }: TraceCost): string {
  if (gpu_seconds === null) return 'What this request cost is unknown: nothing recorded says which GPUs served it.';
  const took = `This request took ${rangeText(gpu_seconds, 'GPU-seconds')}`;
  if (gap === 'no_rates') return `${took}. What that cost is unknown: choose GPU prices in the Report view.`;
  return gap
    ? `${took}. What that cost is unknown: ${costGapText(gap)}.`
    : `${took}, cost ${rangeText(cost, currency)}.`;
}

const tokenText = ({ tokens }: TraceServiceCost): string =>
  tokens === null
    ? ''
    : [
        ...(tokens.input === null ? [] : [`${formatCount(tokens.input)} in`]),
        ...(tokens.output === null ? [] : [`${formatCount(tokens.output)} out`]),
      ].join(', ');

const tokensOf = ({ tokens }: TraceServiceCost): number => (tokens?.input ?? 0) + (tokens?.output ?? 0);

const columnsOf = (currency: string): Column<TraceServiceCost>[] => [
  {
    id: 'service',
    title: 'service',
    width: 'minmax(112px, 1fr)',
    cell: ({ service }) => service,
    sort: ({ service }) => service,
  },
  {
    id: 'gpu-time',
    title: 'GPU time',
    numeric: true,
    width: '96px',
    cell: ({ gpu_seconds }) => rangeText(gpu_seconds, 's'),
    sort: ({ gpu_seconds }) => gpu_seconds?.high ?? -1,
  },
  {
    id: 'cost',
    title: 'cost',
    numeric: true,
    width: '152px',
    cell: ({ cost }) => rangeText(cost, currency),
    sort: ({ cost }) => cost?.high ?? -1,
  },
  {
    id: 'per-1k',
    title: 'per 1,000 tokens',
    numeric: true,
    width: '128px',
    cell: ({ tokens, per_1k_tokens }) => (tokens === null ? '' : rangeText(per_1k_tokens, currency)),
    sort: ({ per_1k_tokens }) => per_1k_tokens?.high ?? -1,
  },
  { id: 'tokens', title: 'tokens', numeric: true, width: '64px', cell: tokenText, sort: tokensOf },
  {
    id: 'duration',
    title: 'in it',
    numeric: true,
    width: '56px',
    cell: ({ duration_s }) => formatDuration(duration_s * 1e9),
    sort: ({ duration_s }) => duration_s,
  },
  {
    id: 'in-flight',
    title: 'in flight',
    numeric: true,
    width: '56px',
    cell: ({ in_flight }) => (in_flight === null ? '' : in_flight.toFixed(1)),
    sort: ({ in_flight }) => in_flight ?? 0,
  },
  {
    id: 'gpus',
    title: 'served by',
    width: 'minmax(88px, 1fr)',
    cell: (row) => (row.gap === 'no_gpus' ? 'no GPU known' : servingText(row)),
    sort: ({ gpus, shared_gpus }) => gpus + shared_gpus,
  },
];
