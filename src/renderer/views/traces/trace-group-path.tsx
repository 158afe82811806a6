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
import { selectSpan } from './use-waterfall.ts';

/** One piece of the critical path, or all pieces that did the same. */
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

/** Who the end of the story waited for, in order of time or summed up. */
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
    <div className="story-panel">
      <div className="story-bar">
        <p className="muted" data-testid="path-facts">
          The end of this story waited for these: {formatDuration(covered)}, {percent(covered / total)} of its{' '}
          {formatDuration(total)}
          {waited > 0 ? `; of it ${formatDuration(waited)} (${percent(waited / total)}) nobody worked` : ''}.
          {outlived > 0
            ? ` ${outlived} ${outlived === 1 ? 'call' : 'calls'} into other services ended after what called them (⇥), so that nobody seems to have waited for them: where clocks differ and nothing says how, they are missing here.`
            : ''}
        </p>
        <span className="spring" />
        <button type="button" aria-pressed={summed} onClick={() => setSummed(!summed)}>
          Sum up by span name
        </button>
      </div>
      <DataTable<PathRow>
        label="Critical path"
        columns={columns}
        rows={rows}
        keyOf={(row) => row.key}
        selected={rows.find((row) => refOf(traceGroup, row.span) === selected)?.key ?? null}
        onSelect={(row) => {
          selectSpan(traceGroup, row.span);
          onShow(row.span);
        }}
        actionsOf={(row) => recordTarget(labelOf(traceGroup, row.span), [refOf(traceGroup, row.span)])}
        empty="This story has no time of its own: its spans begin and end at one instant."
      />
    </div>
  );
}

/** Calls from one service into another that are off the path because they end too late. */
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
  /** Of the path, without the waits. */
  readonly worked: number;
  readonly summed: boolean;
}

function pathColumns({ from_ns, total, worked, summed }: PathFigures): Column<PathRow>[] {
  const number = { numeric: true, sort: (row: PathRow) => row.length_ns };
  return [
    {
      id: 'from',
      title: summed ? 'first' : 'begins',
      numeric: true,
      width: '96px',
      cell: (row) => afterText(row.from_ns - from_ns, total),
      sort: (row) => row.from_ns,
    },
    { ...number, id: 'length', title: 'on the path', width: '88px', cell: (row) => formatDuration(row.length_ns) },
    { ...number, id: 'share', title: 'share', width: '64px', cell: (row) => percent(row.length_ns / total) },
    {
      id: 'worked',
      title: 'of the work',
      numeric: true,
      width: '80px',
      cell: (row) => (row.isWait ? '' : percent(row.length_ns / worked)),
      sort: (row) => (row.isWait ? 0 : row.length_ns),
    },
    ...(summed
      ? [{ ...number, id: 'pieces', title: 'pieces', width: '56px', cell: (row: PathRow) => row.pieces }]
      : []),
    {
      id: 'service',
      title: 'service',
      width: '160px',
      cell: (row) => (row.isWait ? <em className="muted">wait</em> : row.service),
      sort: (row) => row.service,
    },
    { id: 'what', title: 'what', width: 'minmax(160px, 1fr)', cell: (row) => row.what, sort: (row) => row.what },
  ];
}

function waitsOf({ path_wait, path_from_ns, path_until_ns }: TraceGroup): number {
  return path_wait.reduce((sum, wait, at) => sum + (wait ? path_until_ns[at]! - path_from_ns[at]! : 0), 0);
}

function pieces(story: TraceGroup): PathRow[] {
  return Array.from(story.path_span, (span, at) => {
    const isWait = story.path_wait[at] === 1;
    return {
      key: String(at),
      span,
      service: isWait ? '' : serviceOf(story, span),
      what: isWait
        ? `from the end of ${labelOf(story, story.path_after[at]!)} to ${labelOf(story, span)}`
        : nameOf(story, span),
      from_ns: story.path_from_ns[at]!,
      length_ns: story.path_until_ns[at]! - story.path_from_ns[at]!,
      pieces: 1,
      isWait,
    };
  });
}

function sums(story: TraceGroup): PathRow[] {
  const found = new Map<string, PathRow>();
  for (const row of pieces(story)) {
    const key = `${row.service}\u0000${row.what}`;
    const known = found.get(key);
    found.set(
      key,
      known ? { ...known, length_ns: known.length_ns + row.length_ns, pieces: known.pieces + 1 } : { ...row, key },
    );
  }
  return [...found.values()].sort((a, b) => b.length_ns - a.length_ns);
}
