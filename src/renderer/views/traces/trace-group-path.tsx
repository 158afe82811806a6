import { useMemo, useState } from 'react';
import type { TraceGroup } from '../../../model/contract/index.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import {
  afterText,
  extentOf,
  hasMark,
  labelOf,
  nameOf,
  percent,
  refOf,
  serviceOf,
} from '../../draw/traces/trace-group-text.ts';
import { recordTarget } from '../../state/actions.ts';
import { useFocus } from '../../state/focus.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { messages } from './messages.ts';
import { selectSpan } from './use-waterfall.ts';

/** One part of the critical path, or all parts with the same span name. */
interface PathRow {
  readonly key: string;
  readonly span: number;
  readonly service: string;
  readonly what: string;
  readonly from_ns: number;
  readonly length_ns: number;
  readonly pieces: number;
  readonly isWait: boolean;
}

/** The critical path of the trace group, in order of time or summed by span name. */
export function TraceGroupPath({
  traceGroup,
  onShow,
}: {
  readonly traceGroup: TraceGroup;
  readonly onShow: (span: number) => void;
}) {
  const [summed, setSummed] = useState(false);
  const { from_ns, until_ns } = useMemo(() => extentOf(traceGroup), [traceGroup]);
  const rows = useMemo(() => (summed ? sums(traceGroup) : pieces(traceGroup)), [traceGroup, summed]);
  const total = Math.max(until_ns - from_ns, 1);
  const selected = useFocus((focus) => focus.selected);
  const covered = rows.reduce((sum, row) => sum + row.length_ns, 0);
  const waited = waitsOf(traceGroup);
  const outlived = useMemo(() => unawaitedCalls(traceGroup), [traceGroup]);
  const columns = pathColumns({ from_ns, total, worked: Math.max(covered - waited, 1), summed });
  return (
    <div className="trace-detail-panel">
      <div className="trace-detail-bar">
        <p className="muted" data-testid="path-facts">
          {messages.path.facts(
            formatDuration(covered),
            percent(covered / total),
            waited > 0 ? messages.path.idle(formatDuration(waited), percent(waited / total)) : '',
          )}
          {outlived > 0 ? messages.path.outlived(outlived) : ''}
        </p>
        <span className="spring" />
        <button type="button" aria-pressed={summed} onClick={() => setSummed(!summed)}>
          {messages.path.sum}
        </button>
      </div>
      <DataTable<PathRow>
        label={messages.tabs.path}
        columns={columns}
        rows={rows}
        keyOf={(row) => row.key}
        selected={rows.find((row) => refOf(traceGroup, row.span) === selected)?.key ?? null}
        onSelect={(row) => {
          selectSpan(traceGroup, row.span);
          onShow(row.span);
        }}
        actionsOf={(row) => recordTarget(labelOf(traceGroup, row.span), [refOf(traceGroup, row.span)])}
        empty={messages.path.none}
      />
    </div>
  );
}

/** Calls to other services that are off the path because they end too late. */
function unawaitedCalls(traceGroup: TraceGroup): number {
  let count = 0;
  for (let span = 0; span < traceGroup.trace.length; span++) {
    const parent = traceGroup.parent[span]!;
    if (parent >= 0 && traceGroup.service[parent] !== traceGroup.service[span] && hasMark(traceGroup, span, 'outlives'))
      count++;
  }
  return count;
}

interface PathFigures {
  readonly from_ns: number;
  readonly total: number;
  /** Of the path, without waits. */
  readonly worked: number;
  readonly summed: boolean;
}

function pathColumns({ from_ns, total, worked, summed }: PathFigures): Column<PathRow>[] {
  const number = { numeric: true, sort: (row: PathRow) => row.length_ns };
  return [
    {
      id: 'from',
      title: summed ? messages.path.first : messages.path.start,
      numeric: true,
      width: '96px',
      cell: (row) => afterText(row.from_ns - from_ns, total),
      sort: (row) => row.from_ns,
    },
    {
      ...number,
      id: 'length',
      title: messages.path.onPath,
      width: '88px',
      cell: (row) => formatDuration(row.length_ns),
    },
    {
      ...number,
      id: 'share',
      title: messages.path.share,
      width: '64px',
      cell: (row) => percent(row.length_ns / total),
    },
    {
      id: 'worked',
      title: messages.path.ofWork,
      numeric: true,
      width: '80px',
      cell: (row) => (row.isWait ? '' : percent(row.length_ns / worked)),
      sort: (row) => (row.isWait ? 0 : row.length_ns),
    },
    ...(summed
      ? [{ ...number, id: 'pieces', title: messages.path.parts, width: '56px', cell: (row: PathRow) => row.pieces }]
      : []),
    {
      id: 'service',
      title: messages.service,
      width: '160px',
      cell: (row) => (row.isWait ? <em className="muted">{messages.path.wait}</em> : row.service),
      sort: (row) => row.service,
    },
    {
      id: 'what',
      title: messages.path.span,
      width: 'minmax(160px, 1fr)',
      cell: (row) => row.what,
      sort: (row) => row.what,
    },
  ];
}

function waitsOf({ path_wait, path_from_ns, path_until_ns }: TraceGroup): number {
  return path_wait.reduce((sum, wait, at) => sum + (wait ? path_until_ns[at]! - path_from_ns[at]! : 0), 0);
}

function pieces(traceGroup: TraceGroup): PathRow[] {
  return Array.from(traceGroup.path_span, (span, at) => {
    const isWait = traceGroup.path_wait[at] === 1;
    return {
      key: String(at),
      span,
      service: isWait ? '' : serviceOf(traceGroup, span),
      what: isWait
        ? messages.path.fromTo(labelOf(traceGroup, traceGroup.path_after[at]!), labelOf(traceGroup, span))
        : nameOf(traceGroup, span),
      from_ns: traceGroup.path_from_ns[at]!,
      length_ns: traceGroup.path_until_ns[at]! - traceGroup.path_from_ns[at]!,
      pieces: 1,
      isWait,
    };
  });
}

function sums(traceGroup: TraceGroup): PathRow[] {
  const found = new Map<string, PathRow>();
  for (const row of pieces(traceGroup)) {
    const key = `${row.service}\u0000${row.what}`;
    const known = found.get(key);
    found.set(
      key,
      known ? { ...known, length_ns: known.length_ns + row.length_ns, pieces: known.pieces + 1 } : { ...row, key },
    );
  }
  return [...found.values()].sort((a, b) => b.length_ns - a.length_ns);
}
