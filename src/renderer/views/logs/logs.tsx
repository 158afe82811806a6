import { useMemo, useState } from 'react';
import type { LogTemplate, LogTemplates } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { problemOf } from '../../client/problem-of.ts';
import { cellMarkdown } from '../../draw/text/format-record.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { noveltyText, readShareText, senderText, severityChoices, severityStyle } from '../../draw/text/log-text.ts';
import type { ActionTarget } from '../../state/action-menu.ts';
import { showView } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { selectEntity, setPlayhead, useFocus } from '../../state/focus.ts';
import { useInfo } from '../../state/known.ts';
import { filterLogs, type LogFilter, toggleCondition, useLogFilter } from '../../state/log-filter.ts';
import { copyText, notify, showError } from '../../state/toasts.ts';
import { useCall } from '../../state/use-answer.ts';
import { type CaseTimeFormat, formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { EntityChips } from '../../widgets/entity-chips.tsx';
import { Around } from './around.tsx';
import { Facets, fieldTitle, valueTitle } from './facets.tsx';
import { messages } from './messages.ts';
import { type LogTime, Records } from './records.tsx';
import { SeverityLabel } from './severity-label.tsx';
import { BUCKETS, Sparkline } from './sparkline.tsx';
import { Volume } from './volume.tsx';
import './logs.css';

export interface LogsProps {
  readonly time: LogTime;
  /** Of the incident, at the earliest `since`; null: `since` is just the start of the window. */
  readonly onset_ns: bigint | null;
  readonly found: LogTemplates;
}

export function LogsView({ time, onset_ns, found }: LogsProps) {
  const filter = useLogFilter();
  const format = useTimeFormat();
  const rows = useMemo(() => found.templates.filter((one) => passes(one, filter)), [found, filter]);
  const length = Number(time.end_ns - time.start_ns);
  const onset = Number(found.since_ns - time.start_ns) / length;
  const columns = useMemo(() => columnsOf(format, onset > 0 && onset < 1 ? onset : null, time), [format, onset, time]);
  const isListed =
    filter.template !== null || filter.trace_id !== null || filter.text !== '' || filter.where.length > 0;
  const [showsFields, setShowsFields] = useState(window.innerWidth >= LEAST_WIDTH);
  const facets = useFacets(filter, time);
  const empty = useEmptyText(found, filter);
  return (
    <div className="logs">
      <LogBar filter={filter} showsFields={showsFields} onFields={() => setShowsFields(!showsFields)} />
      <div className="logs-body">
        {showsFields && facets ? <Facets facets={facets} where={filter.where} /> : null}
        <div className="logs-main">
          {filter.where.length > 0 ? null : <TemplateNote found={found} length={length} onset_ns={onset_ns} />}
          {(facets?.lines ?? found.lines) > 0 ? <Volume facets={facets} time={time} /> : null}
          {/* A template has no attributes: with a condition on a field its figures would be those of other lines. */}
          {filter.where.length > 0 ? null : (
            <DataTable<LogTemplate>
              label={messages.templates}
              columns={columns}
              rows={rows}
              keyOf={({ text }) => text}
              selected={filter.template}
              onSelect={({ text }) =>
                filterLogs({ template: text === filter.template ? null : text, trace_id: null, around: null })
              }
              actionsOf={(row) => templateTarget(row, format, time)}
              empty={empty}
            />
          )}
          {filter.around !== null ? (
            <Around of={filter.around} />
          ) : isListed ? (
            <Records filter={filter} time={time} />
          ) : null}
        </div>
      </div>
    </div>
  );
}

interface NoteProps {
  readonly found: LogTemplates;
  /** Of the window, nanoseconds. */
  readonly length: number;
  readonly onset_ns: bigint | null;
}

/** How much was read, and what it is compared with. */
function TemplateNote({ found, length, onset_ns }: NoteProps) {
  const format = useTimeFormat();
  const newest = found.templates.filter(({ novelty }) => novelty === 'new').length;
  return (
    <p className="logs-note muted" data-testid="logs-note">
      {messages.note.read(readShareText(found.lines, found.share, found.left_out), formatCount(found.templates.length))}
      {messages.note.history(
        newest,
        historyText(found),
        formatInstant(nanos(found.since_ns), format, 1),
        onset_ns === null ? null : formatInstant(nanos(onset_ns), format, 1),
      )}
      {isShort(found, length) ? <b> {messages.note.short}</b> : null}
    </p>
  );
}

const historyText = ({ before_s }: LogTemplates): string =>
  before_s > 0 ? messages.note.baseline(formatDuration(before_s * 1e9)) : messages.note.noLogs;

/** Fewer lines were logged before the window than in it, so a missing line proves little. */
const isShort = ({ before_s, templates }: LogTemplates, windowNs: number): boolean =>
  before_s > 0 && before_s * 1e9 < windowNs / 2 && templates.some(({ novelty }) => novelty === 'new');

/** A template omits the variable parts of a line, so the text filter applies to the records below only. */
const passes = ({ text, severity }: LogTemplate, filter: LogFilter): boolean =>
  severity >= filter.severity_from && text.toLowerCase().includes(filter.text.toLowerCase());

/** Where nothing is listed, the reason: a whole case without logs is no window without them. */
function useEmptyText({ templates, lines }: LogTemplates, { severity_from, text }: LogFilter): string {
  const recorded = useInfo()?.rows.log ?? 0;
  const isSelection = useFocus((focus) => focus.entities.length > 0);
  if (templates.length > 0 && (severity_from > 0 || text !== '')) return messages.empty.filtered;
  if (lines > 0) return messages.empty.noTemplate;
  if (recorded === 0) return messages.empty.noRecords;
  return isSelection ? messages.empty.noneOfSelected : messages.empty.noLogs;
}

/** Windows narrower than this begin without the fields. */
const LEAST_WIDTH = 1100;

function useFacets({ text, severity_from, trace_id, where }: LogFilter, time: LogTime) {
  const entities = useFocus((focus) => focus.entities);
  const input = {
    ...time,
    entities: [...entities],
    text,
    severity_from,
    trace_id,
    where: [...where],
    buckets: BUCKETS,
  };
  return useCall('logs.facets', input, ['log']).value;
}

interface LogBarProps {
  readonly filter: LogFilter;
  readonly showsFields: boolean;
  readonly onFields: () => void;
}

function LogBar({ filter, showsFields, onFields }: LogBarProps) {
  const entities = useFocus((focus) => focus.entities);
  return (
    <div className="logs-bar">
      <h2>{messages.title}</h2>
      <button type="button" aria-pressed={showsFields} title={messages.bar.fieldsTitle} onClick={onFields}>
        {messages.bar.fields}
      </button>
      <input
        type="search"
        aria-label={messages.bar.search}
        placeholder={messages.bar.searchPlaceholder}
        spellCheck={false}
        value={filter.text}
        onChange={(event) => filterLogs({ text: event.target.value })}
      />
      <select
        aria-label={messages.bar.severity}
        value={filter.severity_from}
        onChange={(event) => filterLogs({ severity_from: Number(event.target.value) })}
      >
        {severityChoices.map(({ from, title }) => (
          <option key={from} value={from}>
            {title}
          </option>
        ))}
      </select>
      {filter.trace_id === null ? null : (
        <button
          type="button"
          className="chip"
          aria-label={messages.bar.leaveTrace}
          title={filter.trace_id}
          onClick={() => filterLogs({ trace_id: null })}
        >
          {messages.bar.trace(filter.trace_id.slice(0, 8))}
        </button>
      )}
      {filter.where.map(({ field, value }) => (
        <button
          key={field}
          type="button"
          className="chip"
          aria-label={messages.bar.leaveField(fieldTitle(field), value)}
          onClick={() => toggleCondition({ field, value })}
        >
          {fieldTitle(field)} = {valueTitle(field, value)} ×
        </button>
      ))}
      <EntityChips entities={entities} />
    </div>
  );
}

function columnsOf(format: CaseTimeFormat, onset: number | null, time: LogTime): readonly Column<LogTemplate>[] {
  return [
    {
      id: 'novelty',
      title: messages.columns.novelty,
      width: '92px',
      cell: (row) => <span className={`novelty ${row.novelty}`}>{noveltyText(row)}</span>,
      sort: ({ novelty, times_more }) => (novelty === 'new' ? 0 : novelty === 'surging' ? 1 / (times_more ?? 1) : 2),
    },
    {
      id: 'count',
      title: messages.columns.lines,
      numeric: true,
      width: '56px',
      cell: ({ count }) => formatCount(count),
      sort: ({ count }) => -count,
      sheet: { cell: ({ count }) => count },
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
      id: 'text',
      title: messages.columns.template,
      width: 'minmax(180px, 4fr)',
      cell: ({ text }) => (
        <span className="mono" title={text}>
          {text}
        </span>
      ),
      sort: ({ text }) => text,
      sheet: { cell: ({ text }) => text },
    },
    {
      id: 'senders',
      title: messages.columns.from,
      width: 'minmax(90px, 1fr)',
      optional: true,
      cell: ({ senders }) => (
        <span title={senderText(senders, senders.length)}>{senderText(senders, 2) || messages.unknown}</span>
      ),
      sort: ({ senders }) => senders[0] ?? '',
      sheet: { cell: ({ senders }) => senders.join(', ') },
    },
    {
      id: 'counts',
      title: messages.columns.counts,
      width: '96px',
      cell: ({ counts }) => <Sparkline counts={counts} onset={onset} time={time} />,
      sheet: { name: messages.columns.countsSheet, cell: ({ counts }) => counts.join(' ') },
    },
    {
      id: 'first',
      title: messages.columns.first,
      width: instantWidth(format, 92),
      optional: true,
      cell: ({ first_ns }) => formatInstant(nanos(first_ns), format, format.mode === 'relative' ? 1 : 3),
      sort: ({ first_ns }) => first_ns,
      instant: ({ first_ns }) => nanos(first_ns),
    },
  ];
}

/** The evidence id of a template is the one of its first record in the window. */
async function copyFirstLine(template: string, time: LogTime): Promise<void> {
  const { entities } = useFocus.getState();
  const queryInput = {
    ...time,
    template,
    trace_id: null,
    text: '',
    severity_from: 0,
    entities: [...entities],
    limit: 1,
  };
  try {
    const { records } = await client().call('logs.records', queryInput);
    const [first] = records;
    if (first) await copyText(first.ref, messages.evidenceId);
    else notify(messages.noRecord);
  } catch (error) {
    showError(problemOf(error));
  }
}

/** Actions of a template. */
function templateTarget(template: LogTemplate, format: CaseTimeFormat, time: LogTime): ActionTarget {
  const { text, count, first_ns, senders, novelty, severity } = template;
  const { counts: _, ...figures } = template;
  const json = JSON.stringify(figures, (_key, value) => (typeof value === 'bigint' ? String(value) : value), 2);
  const first = formatInstant(nanos(first_ns), format);
  const words = messages.copied(
    cellMarkdown(text),
    messages.templateFacts(
      novelty,
      count,
      severityStyle(severity).word,
      `${first} ${format.mode}`,
      senderText(senders, 3),
    ),
  );
  const [sender] = senders;
  return {
    label: text,
    actions: [
      {
        id: 'records',
        title: messages.actions.records,
        keys: 'Enter',
        run: () => filterLogs({ template: text, trace_id: null }),
      },
      {
        id: 'entity',
        title: messages.actions.focusSender,
        keys: 'E',
        disabled: sender === undefined,
        run: () => sender !== undefined && selectEntity(sender),
      },
      {
        id: 'zoom',
        title: messages.actions.zoom,
        keys: 'Z',
        run: () => {
          setPlayhead(nanos(first_ns));
          showView('timeline');
        },
      },
      { id: 'json', title: messages.actions.copyJson, keys: 'J', run: () => void copyText(json, messages.json) },
      {
        id: 'markdown',
        title: messages.actions.copyMarkdown,
        keys: 'K',
        run: () => void copyText(words, messages.markdown),
      },
      {
        id: 'id',
        title: messages.actions.copyId,
        keys: 'Y',
        run: () => void copyFirstLine(text, time),
      },
    ],
  };
}
