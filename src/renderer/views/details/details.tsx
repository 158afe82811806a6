import type { EvidenceRecord } from '../../../model/contract/index.ts';
import { type ContradictedReading, contradictionText } from '../../../model/incident/contradicted-reading.ts';
import { nanos } from '../../../model/time.ts';
import { recordJson } from '../../draw/text/format-record.ts';
import { formatDate, formatOffset, formatTime, zoneName } from '../../draw/text/format-time.ts';
import { readableType } from '../../draw/text/format-value.ts';
import { select, useFocus } from '../../state/focus.ts';
import { useIncident } from '../../state/known.ts';
import { showTrace } from '../../state/log-filter.ts';
import { stepThroughChain } from '../../state/steps.ts';
import { copyText } from '../../state/toasts.ts';
import { searchTraces } from '../../state/traces.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { keyed } from '../../widgets/keyed.ts';
import { LongText } from '../../widgets/long-text.tsx';
import { messages } from './messages.ts';
import { RecordedAbout } from './recorded-about.tsx';
import './details.css';

export function NothingSelected() {
  return <p className="empty muted">{messages.empty}</p>;
}

export interface DetailsProps {
  readonly requestedRef: string;
  readonly record: EvidenceRecord;
}

export function Details({ requestedRef, record }: DetailsProps) {
  const stale = useFocus((focus) => focus.selected !== requestedRef);
  return (
    <div className={`details${stale ? ' stale' : ''}`} data-testid="details" aria-busy={stale}>
      <ChainPosition selected={requestedRef} />
      <h2>{titleOf(record)}</h2>
      {record.kind === 'event' && record.contradiction ? <Contradiction found={record.contradiction} /> : null}
      <Facts record={record} />
      <div className="button-row">
        <button type="button" onClick={() => void copyText(recordJson(record), messages.record)}>
          {messages.copyJson}
        </button>
        <button type="button" className="plain" onClick={() => void copyText(record.ref, messages.evidenceId)}>
          {messages.copyId}
        </button>
        <ItsTrace record={record} />
      </div>
      {record.fields.some(isShown) ? <Fields record={record} /> : null}
      {record.kind === 'entity' ? (
        <RecordedAbout entity={record.ref.slice('entity:'.length)} />
      ) : (
        <Raw record={record} />
      )}
    </div>
  );
}

/** An event's type as words, as everywhere else; the field below keeps it as it was recorded. */
const titleOf = (record: EvidenceRecord): string =>
  record.kind === 'event' ? record.title.replace(record.type, readableType(record.type)) : record.title;

/** Both figures: which of them is wrong, the recording does not show. */
function Contradiction({ found }: { readonly found: ContradictedReading }) {
  return (
    <p className="caution" data-testid="contradiction">
      {messages.contradiction}: {contradictionText(found)}.{' '}
      <button type="button" className="link" onClick={() => select(found.ref)}>
        {messages.showSample}
      </button>
    </p>
  );
}

function Raw({ record }: { readonly record: EvidenceRecord }) {
  return (
    <>
      <h3>{messages.rawRecord}</h3>
      {record.raw === '' ? (
        <p className="muted">
          {messages.noRawText} <MeasuredSpans record={record} />
        </p>
      ) : (
        <pre className="raw" data-testid="raw-record">
          <LongText text={record.raw} />
        </pre>
      )}
    </>
  );
}

/** What a service measured at an instant was computed from its spans around it, where those were recorded. */
function MeasuredSpans({ record: { ref, fields } }: { readonly record: EvidenceRecord }) {
  const service = fields.find(({ name }) => name === 'service')?.value;
  if (!ref.startsWith('measurement:') || service === undefined) return null;
  if (fields.find(({ name }) => name === 'measured from')?.value !== 'spans') return null;
  return (
    <button
      type="button"
      className="link"
      onClick={() => searchTraces(`{ resource.service.name = ${JSON.stringify(service)} }`)}
    >
      {messages.showSpans}
    </button>
  );
}

/** The trace of a span, or the trace that a log record names. */
function ItsTrace({ record }: { readonly record: EvidenceRecord }) {
  const at = record.kind === 'span' ? record : record.kind === 'log' ? record.trace : null;
  if (!at) return null;
  return (
    <button type="button" className="plain" onClick={() => void showTrace(at.trace_id, at.span_id)}>
      {messages.openTrace}
    </button>
  );
}

function ChainPosition({ selected }: { readonly selected: string }) {
  const view = useIncident(useFocus((focus) => focus.incident));
  const at = view?.steps.findIndex((step) => step.ref === selected) ?? -1;
  if (!view || at < 0) return null;
  return (
    <div className="chain-position">
      <span className="muted">{messages.step(at + 1, view.steps.length)}</span>
      <button
        type="button"
        className="plain"
        disabled={at === 0}
        aria-label={messages.previousStep}
        title={messages.previousStepTitle}
        onClick={() => stepThroughChain(-1)}
      >
        ‹
      </button>
      <button
        type="button"
        className="plain"
        disabled={at === view.steps.length - 1}
        aria-label={messages.nextStep}
        title={messages.nextStepTitle}
        onClick={() => stepThroughChain(1)}
      >
        ›
      </button>
    </div>
  );
}

function Facts({ record }: { readonly record: EvidenceRecord }) {
  const format = useTimeFormat();
  const onset = useFocus((focus) => focus.onset);
  const time = record.time_ns === null ? null : nanos(record.time_ns);
  return (
    <dl className="facts">
      <dt>{record.kind}</dt>
      <dd>
        <span className="mono">{record.ref}</span>{' '}
        {idInSource(record) === '' ? null : <span className="muted">{messages.inItsSource(idInSource(record))}</span>}
      </dd>
      {time === null ? null : (
        <>
          <dt>{messages.time}</dt>
          <dd>
            <button
              type="button"
              className="link"
              title={messages.showInstant}
              onClick={() => select(record.ref, time)}
            >
              {format.mode === 'relative' ? '' : `${formatDate(time, format)} `}
              {formatTime(time, format, 6)}
            </button>{' '}
            <span className="muted">
              {zoneName(format.mode)}
              {onset !== null && format.mode !== 'relative'
                ? messages.onset(formatOffset(Number(time - onset), 3))
                : ''}
            </span>
          </dd>
        </>
      )}
      <dt>{messages.source}</dt>
      <dd className="mono">{record.source ?? messages.unknown}</dd>
    </dl>
  );
}

const idInSource = ({ fields }: EvidenceRecord): string => fields.find(({ name }) => name === 'id')?.value ?? '';

/** Time and id stand above. */
const isShown = ({ name }: EvidenceRecord['fields'][number]): boolean => name !== 'time' && name !== 'id';
/** Beside the kind of the record itself. */
const fieldNames: Readonly<Record<string, string>> = { kind: messages.kindOfEntity };

function Fields({ record }: { readonly record: EvidenceRecord }) {
  return (
    <table className="fields">
      <caption className="visually-hidden">{messages.fields}</caption>
      <tbody>
        {keyed(record.fields.filter(isShown)).map(({ key, value: { name, value } }) => (
          <tr key={key}>
            <th scope="row" className="mono">
              {fieldNames[name] ?? name}
            </th>
            <td className="mono">
              {value === '' ? <span className="muted">{messages.emptyValue}</span> : <LongText text={value} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
