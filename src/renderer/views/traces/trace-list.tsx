import { useMemo } from 'react';
import type { FoundTrace, Output } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatDuration, type TimeFormat } from '../../draw/text/format-time.ts';
import { formatCount, formatNumber } from '../../draw/text/format-value.ts';
import { traceRootText, tracesJson, tracesMarkdown } from '../../draw/traces/found-traces.ts';
import { recordTarget } from '../../state/actions.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { copyText } from '../../state/toasts.ts';
import { openTrace, othersSearch, setTraces, useTraces } from '../../state/traces.ts';
import { type CaseTimeFormat, formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { messages } from './messages.ts';
import { TraceScatter } from './trace-scatter.tsx';

interface TraceListProps {
  readonly query: string;
  readonly found: Output<'traces.search'>;
  readonly everywhere: boolean;
  readonly searched: TimeWindow;
}

export function TraceList({ query, found, everywhere, searched }: TraceListProps) {
  const format = useTimeFormat();
  const open = useTraces((state) => state.open);
  const columns = useMemo(() => columnsOf(format, found.fields), [format, found.fields]);
  const { traces } = found;
  return (
    <>
      <div className="trace-bar">
        <span className="muted ellipsis" role="status" data-testid="trace-count">
          {countText(found)}
        </span>
        <span className="spring" />
        <CompareButton query={query} />
        <CopyButtons query={query} traces={traces} format={format} />
      </div>
      <TraceScatter traces={traces} searched={searched} selected={open?.traceId ?? null} />
      <DataTable
        label={messages.list.table}
        columns={columns}
        rows={traces}
        keyOf={({ trace_id }) => trace_id}
        selected={open?.traceId ?? null}
        onSelect={openTrace}
        actionsOf={(trace) => recordTarget(traceRootText(trace), [trace.ref])}
        empty={everywhere ? messages.list.noneInCase : messages.list.noneInWindow}
      />
    </>
  );
}

/** Compares the spans found with all others: the two groups are then in the search, to be changed. */
function CompareButton({ query }: { readonly query: string }) {
  const compared = othersSearch(query);
  return (
    <button
      type="button"
      className="plain"
      disabled={compared === null}
      title={compared === null ? messages.list.compareFirst : messages.list.compareTitle}
      onClick={() => compared !== null && setTraces({ text: compared, query: compared })}
    >
      {messages.list.compare}
    </button>
  );
}

/** What the list contains and omits. */
function countText({ traces, trace_count, span_count, truncated }: Output<'traces.search'>): string {
  const spans = `${formatCount(span_count)} ${span_count === 1 ? messages.span : messages.spans}`;
  const all = messages.list.count(
    spans,
    `${formatCount(trace_count)} ${trace_count === 1 ? messages.list.trace : messages.list.traces}`,
  );
  return truncated ? messages.list.truncated(all, formatCount(traces.length)) : all;
}

const columnsOf = (format: CaseTimeFormat, selected: readonly string[] = []): readonly Column<FoundTrace>[] => [
  {
    id: 'root',
    title: messages.list.root,
    width: 'minmax(140px, 1fr)',
    cell: (trace) => <span title={`${traceRootText(trace)}\n${trace.trace_id}`}>{traceRootText(trace)}</span>,
    sort: traceRootText,
  },
  {
    id: 'start',
    title: messages.list.start,
    width: instantWidth(format, 104),
    cell: ({ start_ns }) => formatInstant(nanos(start_ns), format),
    sort: ({ start_ns }) => start_ns,
    instant: ({ start_ns }) => nanos(start_ns),
  },
  {
    id: 'duration',
    title: messages.list.duration,
    numeric: true,
    width: '80px',
    cell: ({ duration_ms }) => formatDuration(duration_ms * 1e6),
    sort: ({ duration_ms }) => duration_ms,
    sheet: { name: messages.list.durationSheet, cell: ({ duration_ms }) => duration_ms },
  },
  {
    id: 'longest',
    title: messages.list.longest,
    numeric: true,
    width: '104px',
    cell: ({ longest_ms }) => formatDuration(longest_ms * 1e6),
    sort: ({ longest_ms }) => longest_ms,
    sheet: { name: messages.list.longestSheet, cell: ({ longest_ms }) => longest_ms },
  },
  ...selected.map(
    (field, at): Column<FoundTrace> => ({
      id: `selected ${field}`,
      title: field,
      width: 'minmax(80px, 0.6fr)',
      cell: (trace) => <span title={trace.selected?.[at]}>{trace.selected?.[at]}</span>,
      sort: (trace) => trace.selected?.[at] ?? '',
    }),
  ),
  ...(['spans', 'errors', 'matched', 'services'] as const).map(
    (id): Column<FoundTrace> => ({
      id,
      title: `${id[0]?.toUpperCase()}${id.slice(1)}`,
      numeric: true,
      width: '64px',
      ...(id === 'matched' || id === 'services' ? { optional: true } : {}),
      cell: (trace) =>
        id === 'errors' && trace.errors > 0 ? (
          <span className="trace-errors">▲ {formatNumber(trace.errors)}</span>
        ) : (
          formatNumber(trace[id])
        ),
      sort: (trace) => trace[id],
      sheet: { cell: (trace) => trace[id] },
    }),
  ),
];

interface CopyButtonsProps {
  readonly query: string;
  readonly traces: readonly FoundTrace[];
  readonly format: TimeFormat;
}

/** Copies the listed traces. */
function CopyButtons({ query, traces, format }: CopyButtonsProps) {
  const copies = [
    [messages.json, () => tracesJson(query, traces)],
    [messages.markdown, () => tracesMarkdown(query, traces, format)],
    [messages.list.evidenceIds, () => traces.map(({ ref }) => ref).join('\n')],
  ] as const;
  return copies.map(([what, make]) => (
    <button
      key={what}
      type="button"
      className="plain"
      disabled={traces.length === 0}
      onClick={() => void copyText(make(), what)}
    >
      {messages.list.copy(what)}
    </button>
  ));
}
