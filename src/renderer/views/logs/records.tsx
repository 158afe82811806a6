import type { LogRecord } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { zoneName } from '../../draw/text/format-time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { senderText, severityStyle } from '../../draw/text/log-text.ts';
import type { ActionTarget } from '../../state/action-menu.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { select, useFocus } from '../../state/focus.ts';
import { filterLogs, type LogFilter, showTrace } from '../../state/log-filter.ts';
import { useCall } from '../../state/use-answer.ts';
import { type CaseTimeFormat, formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { messages } from './messages.ts';
import { SeverityLabel } from './severity-label.tsx';

/** A window on the clock of the case; the end is exclusive. */
export interface LogTime {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
}

const LIMIT = 1000;
/** Characters of a line in the table; the record has all. */
const MOST_OF_LINE = 2000;

/** Records of the template, the trace or the search; each opens its details and moves the playhead. */
export function Records({ filter, time }: { readonly filter: LogFilter; readonly time: LogTime }) {
  const entities = useFocus((focus) => focus.entities);
  const selected = useFocus((focus) => focus.selected);
  const format = useTimeFormat();
  const { around: _, where, ...searched } = filter;
  const input = { ...time, ...searched, where: [...where], entities: [...entities], limit: LIMIT };
  const { value, problem, slow, retry } = useCall('logs.records', input, ['log']);
  return (
    <section className="log-records" aria-label={messages.records.title} aria-busy={slow}>
      <header>
        <h3 className="ellipsis mono">{titleOf(filter)}</h3>
        <span className="muted" data-testid="log-records-count">
          {value ? countText(value) : ''}
          {slow ? messages.loading : ''}
        </span>
        <span className="spring" />
        <button
          type="button"
          className="plain"
          onClick={() => filterLogs({ template: null, trace_id: null, text: '', where: [] })}
        >
          {messages.records.close}
        </button>
      </header>
      {problem ? <ProblemNote problem={problem} what={messages.records.what} onRetry={retry} /> : null}
      {value ? (
        <DataTable<LogRecord>
          label={messages.records.title}
          columns={recordColumns(format)}
          rows={value.records}
          keyOf={({ ref }) => ref}
          selected={selected}
          onSelect={({ ref, time_ns }) => {
            select(ref, nanos(time_ns));
            showDetails();
          }}
          actionsOf={logTarget}
          empty={messages.records.none}
        />
      ) : null}
    </section>
  );
}

const titleOf = ({ template, trace_id, text }: LogFilter): string =>
  template ??
  (trace_id !== null ? messages.records.ofTrace(trace_id) : text === '' ? messages.records.title : `“${text}”`);

const countText = ({
  records,
  truncated,
}: {
  readonly records: readonly unknown[];
  readonly truncated: boolean;
}): string =>
  truncated
    ? messages.records.first(formatCount(records.length))
    : `${formatCount(records.length)} ${records.length === 1 ? messages.records.record : messages.records.records}`;

/** Actions of a log record: those of any record, its trace, and what is around it. */
export function logTarget({ ref, trace_id, span_id }: LogRecord): ActionTarget {
  const { label, actions } = recordTarget(ref, [ref]);
  const [details, ...others] = actions;
  const trace = {
    id: 'trace',
    title: trace_id === '' ? messages.actions.noTrace : messages.actions.trace,
    keys: 'V',
    disabled: trace_id === '',
    run: () => void showTrace(trace_id, span_id),
  };
  const around = { id: 'around', title: messages.actions.around, keys: 'L', run: () => filterLogs({ around: ref }) };
  return { label, actions: [...(details ? [details] : []), around, trace, ...others] };
}

/** Columns of log records. */
export const recordColumns = (format: CaseTimeFormat): readonly Column<LogRecord>[] => [
  {
    id: 'time',
    title: messages.columns.time(zoneName(format.mode)),
    width: instantWidth(format, 112),
    cell: ({ time_ns }) => formatInstant(nanos(time_ns), format),
    sort: ({ time_ns }) => time_ns,
    instant: ({ time_ns }) => nanos(time_ns),
  },
  {
    id: 'severity',
    title: messages.columns.severity,
    width: '60px',
    cell: ({ severity }) => <SeverityLabel severity={severity} />,
    sort: ({ severity }) => -severity,
    sheet: { cell: ({ severity }) => severityStyle(severity).word },
  },
  {
    id: 'from',
    title: messages.columns.from,
    width: 'minmax(90px, 1fr)',
    cell: ({ entity }) => (entity === '' ? <span className="muted">{messages.unknown}</span> : senderText([entity], 1)),
    sort: ({ entity }) => entity,
  },
  {
    id: 'body',
    title: messages.columns.line,
    width: 'minmax(240px, 6fr)',
    cell: ({ body }) => {
      const shown = body.slice(0, MOST_OF_LINE);
      return (
        <span className="mono" title={shown}>
          {shown}
        </span>
      );
    },
    sort: ({ body }) => body,
    sheet: { cell: ({ body }) => body },
  },
  {
    id: 'trace',
    title: messages.columns.trace,
    width: '84px',
    cell: ({ trace_id, span_id }) =>
      trace_id === '' ? (
        <span className="muted">{messages.none}</span>
      ) : (
        <button
          type="button"
          className="link mono"
          title={messages.records.traceTitle}
          onClick={() => void showTrace(trace_id, span_id)}
        >
          {trace_id.slice(0, 8)}…
        </button>
      ),
    sort: ({ trace_id }) => trace_id,
    sheet: { cell: ({ trace_id }) => trace_id },
  },
];
