import { type FormEvent, useMemo, useState } from 'react';
import { openTraceGroup, type TraceGroup } from '../../../model/contract/index.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { type ComparedCall, callTree, compareCalls } from '../../draw/traces/call-tree.ts';
import { extentOf, signed } from '../../draw/traces/trace-group-text.ts';
import { client } from '../../state/client.ts';
import { pinTrace, usePinnedTrace } from '../../state/pinned-trace.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';

interface TraceGroupCompareProps {
  readonly traceGroup: TraceGroup;
  readonly onShow: (span: number) => void;
}

/** This trace beside another: the same calls by their path, what took longer, what is new and what is missing. */
export function TraceGroupCompare({ traceGroup, onShow }: TraceGroupCompareProps) {
  const pinnedTrace = usePinnedTrace((state) => state.traceId);
  const own = traceGroup.traces[0]?.trace_id ?? '';
  const isOwn = traceGroup.traces.some(({ trace_id }) => trace_id === pinnedTrace);
  const [text, setText] = useState(pinnedTrace !== null && !isOwn ? pinnedTrace : '');
  const [traceInput, setTraceInput] = useState(pinnedTrace !== null && !isOwn ? pinnedTrace : '');
  const isId = /^[0-9a-f]{1,32}$/i.test(text.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isId) setTraceInput(text.trim());
  };
  return (
    <div className="story-panel">
      <form className="story-bar" onSubmit={submit}>
        <label>
          Compare with trace{' '}
          <input
            value={text}
            className="mono"
            spellCheck={false}
            placeholder="id as hex"
            aria-invalid={text !== '' && !isId}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <button type="submit" disabled={!isId}>
          Compare
        </button>
        <span className="spring" />
        <button
          type="button"
          aria-pressed={isOwn}
          title="Then open another trace, and compare it with this one"
          onClick={() => pinTrace(isOwn ? null : own)}
        >
          {isOwn ? 'Laid aside' : 'Lay this one aside'}
        </button>
      </form>
      {traceInput === '' ? (
        <p className="empty muted">
          Lay a trace aside, open another one, and come back here; or give the id of the trace to compare with.
        </p>
      ) : (
        <Compared traceGroup={traceGroup} other={traceInput} onShow={onShow} />
      )}
    </div>
  );
}

function Compared({ traceGroup: story, other, onShow }: TraceGroupCompareProps & { readonly other: string }) {
  const answer = useAnswer(other, async (signal) =>
    openTraceGroup(await client().call('trace.story', { trace_id: other }, signal)),
  );
  if (answer.problem) return <ProblemNote problem={answer.problem} what="The other trace" onRetry={answer.retry} />;
  if (answer.value === undefined) return answer.slow ? <Progress label="Loading the other trace" /> : null;
  if (answer.value.origin_ns === null)
    return (
      <p className="empty muted">
        This case holds no spans of trace <code>{other}</code>. Give the id of one that it holds.
      </p>
    );
  return <ComparedTable before={answer.value} after={story} onShow={onShow} />;
}

const time = (row: ComparedCall, side: 'before' | 'after'): number => row[side]?.time_ns ?? 0;
const change = (row: ComparedCall): number => time(row, 'after') - time(row, 'before');
const note = ({ before, after }: ComparedCall): string => {
  if (!before) return '+ new';
  if (!after) return '\u2212 missing';
  const errorChange = after.errors - before.errors;
  return errorChange === 0 ? '' : `${errorChange > 0 ? '+' : '\u2212'}${Math.abs(errorChange)} failed`;
};

function ComparedTable({
  before,
  after,
  onShow,
}: {
  readonly before: TraceGroup;
  readonly after: TraceGroup;
  readonly onShow: (span: number) => void;
}) {
  const rows = useMemo(() => compareCalls(callTree(before), callTree(after)), [before, after]);
  const [old, now] = [extentOf(before), extentOf(after)];
  const difference = now.until_ns - now.from_ns - (old.until_ns - old.from_ns);
  const columns: Column<ComparedCall>[] = [
    {
      id: 'call',
      title: 'call',
      width: 'minmax(260px, 1fr)',
      cell: (row) => (
        <span style={{ paddingLeft: Math.min(row.depth, 16) * 12 }}>
          {row.name} <span className="muted">{row.service}</span>
        </span>
      ),
      sort: (row) => `${row.service} ${row.name}`,
    },
    {
      id: 'before',
      title: 'other',
      numeric: true,
      width: '80px',
      cell: (row) => (row.before ? formatDuration(row.before.time_ns) : ''),
      sort: (row) => time(row, 'before'),
    },
    {
      id: 'after',
      title: 'this one',
      numeric: true,
      width: '80px',
      cell: (row) => (row.after ? formatDuration(row.after.time_ns) : ''),
      sort: (row) => time(row, 'after'),
    },
    {
      id: 'change',
      title: 'difference',
      numeric: true,
      width: '88px',
      cell: (row) => signed(change(row)),
      sort: change,
    },
    {
      id: 'self',
      title: 'of itself',
      numeric: true,
      width: '88px',
      cell: (row) => signed((row.after?.self_ns ?? 0) - (row.before?.self_ns ?? 0)),
      sort: (row) => (row.after?.self_ns ?? 0) - (row.before?.self_ns ?? 0),
    },
    {
      id: 'count',
      title: 'spans',
      numeric: true,
      width: '88px',
      cell: (row) => `${row.before?.spans ?? 0} → ${row.after?.spans ?? 0}`,
      sort: (row) => (row.after?.spans ?? 0) - (row.before?.spans ?? 0),
    },
    { id: 'note', title: 'note', width: '96px', cell: note, sort: note },
  ];
  const count = (wanted: (row: ComparedCall) => boolean): number => rows.filter(wanted).length;
  return (
    <>
      <p className="story-left muted" data-testid="compare-facts">
        This one took {formatDuration(now.until_ns - now.from_ns)}, the other{' '}
        {formatDuration(old.until_ns - old.from_ns)}: {signed(difference)}. {count(({ before: one }) => one === null)}{' '}
        calls are new, {count(({ after: one }) => one === null)} are missing, of {rows.length}.
      </p>
      <DataTable<ComparedCall>
        label="Compared calls"
        columns={columns}
        rows={rows}
        keyOf={(row) => row.key}
        onSelect={(row) => row.after && onShow(row.after.example)}
        empty="Neither trace has spans."
      />
    </>
  );
}
