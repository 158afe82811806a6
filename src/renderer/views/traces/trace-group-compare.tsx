import { type FormEvent, useMemo, useState } from 'react';
import { openTraceGroup, type TraceGroup } from '../../../model/contract/index.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { type ComparedCall, callTree, compareCalls } from '../../draw/traces/call-tree.ts';
import { structureOfCalls } from '../../draw/traces/span-structure.ts';
import { extentOf, signed } from '../../draw/traces/trace-group-text.ts';
import { client } from '../../state/client.ts';
import { pinTrace, usePinnedTrace } from '../../state/pinned-trace.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { messages } from './messages.ts';
import { MOST_PATHS, StructureTree } from './structure-tree.tsx';

interface TraceGroupCompareProps {
  readonly traceGroup: TraceGroup;
  readonly onShow: (span: number) => void;
}

/** Compares this trace with another: the same call paths, with slower, new and missing calls. */
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
    <div className="trace-detail-panel">
      <form className="trace-detail-bar" onSubmit={submit}>
        <label>
          {messages.compare.with}{' '}
          <input
            value={text}
            className="mono"
            spellCheck={false}
            placeholder={messages.compare.idPlaceholder}
            aria-invalid={text !== '' && !isId}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <button type="submit" disabled={!isId}>
          {messages.tabs.compare}
        </button>
        <span className="spring" />
        <button
          type="button"
          aria-pressed={isOwn}
          title={messages.compare.pinTitle}
          onClick={() => pinTrace(isOwn ? null : own)}
        >
          {isOwn ? messages.compare.pinned : messages.compare.pin}
        </button>
      </form>
      {traceInput === '' ? (
        <p className="empty muted">{messages.compare.hint}</p>
      ) : (
        <Compared traceGroup={traceGroup} other={traceInput} onShow={onShow} />
      )}
    </div>
  );
}

function Compared({ traceGroup, other, onShow }: TraceGroupCompareProps & { readonly other: string }) {
  const answer = useAnswer(['trace.story', other], async (signal) =>
    openTraceGroup(await client().call('trace.story', { trace_id: other }, signal)),
  );
  if (answer.problem)
    return <ProblemNote problem={answer.problem} what={messages.compare.what} onRetry={answer.retry} />;
  if (answer.value === undefined) return answer.slow ? <Progress label={messages.compare.loading} /> : null;
  if (answer.value.origin_ns === null)
    return (
      <p className="empty muted">
        {messages.detail.noSpansBefore} <code>{other}</code>
        {messages.compare.enterAnother}
      </p>
    );
  return <ComparedTable before={answer.value} after={traceGroup} onShow={onShow} />;
}

const time = (row: ComparedCall, side: 'before' | 'after'): number => row[side]?.time_ns ?? 0;
const change = (row: ComparedCall): number => time(row, 'after') - time(row, 'before');
const note = ({ before, after }: ComparedCall): string => {
  if (!before) return messages.compare.isNew;
  if (!after) return messages.compare.missing;
  const errorChange = after.errors - before.errors;
  return errorChange === 0
    ? ''
    : messages.compare.failed(`${errorChange > 0 ? '+' : '\u2212'}${Math.abs(errorChange)}`);
};

const columns: readonly Column<ComparedCall>[] = [
  {
    id: 'call',
    title: messages.compare.call,
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
    title: messages.compare.other,
    numeric: true,
    width: '80px',
    cell: (row) => (row.before ? formatDuration(row.before.time_ns) : ''),
    sort: (row) => time(row, 'before'),
  },
  {
    id: 'after',
    title: messages.compare.this,
    numeric: true,
    width: '80px',
    cell: (row) => (row.after ? formatDuration(row.after.time_ns) : ''),
    sort: (row) => time(row, 'after'),
  },
  {
    id: 'change',
    title: messages.compare.difference,
    numeric: true,
    width: '88px',
    cell: (row) => signed(change(row)),
    sort: change,
  },
  {
    id: 'self',
    title: messages.self,
    numeric: true,
    width: '88px',
    cell: (row) => signed((row.after?.self_ns ?? 0) - (row.before?.self_ns ?? 0)),
    sort: (row) => (row.after?.self_ns ?? 0) - (row.before?.self_ns ?? 0),
  },
  {
    id: 'count',
    title: messages.spans,
    numeric: true,
    width: '88px',
    cell: (row) => `${row.before?.spans ?? 0} → ${row.after?.spans ?? 0}`,
    sort: (row) => (row.after?.spans ?? 0) - (row.before?.spans ?? 0),
  },
  { id: 'note', title: messages.compare.note, width: '96px', cell: note, sort: note },
];

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
  const structure = useMemo(() => structureOfCalls(rows, MOST_PATHS), [rows]);
  const show = (row: ComparedCall | undefined) => row?.after && onShow(row.after.example);
  const [old, now] = [extentOf(before), extentOf(after)];
  const difference = now.until_ns - now.from_ns - (old.until_ns - old.from_ns);
  const count = (wanted: (row: ComparedCall) => boolean): number => rows.filter(wanted).length;
  return (
    <>
      <p className="trace-detail-left muted" data-testid="compare-facts">
        {messages.compare.facts(
          formatDuration(now.until_ns - now.from_ns),
          formatDuration(old.until_ns - old.from_ns),
          signed(difference),
          count(({ before: one }) => one === null),
          count(({ after: one }) => one === null),
          rows.length,
        )}
      </p>
      <StructureTree
        structure={structure}
        sides={[messages.compare.other, messages.compare.this]}
        onOpen={({ key }) => show(rows.find((row) => row.key === key))}
        table={
          <DataTable<ComparedCall>
            label={messages.compare.table}
            columns={columns}
            rows={rows}
            keyOf={(row) => row.key}
            onSelect={show}
            empty={messages.compare.none}
          />
        }
      />
    </>
  );
}
