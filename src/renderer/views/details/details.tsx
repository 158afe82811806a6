import type { EvidenceRecord } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { recordJson } from '../../draw/text/format-record.ts';
import { formatDate, formatOffset, formatTime, zoneName } from '../../draw/text/format-time.ts';
import { useIncident } from '../../state/case-state.ts';
import { select, useFocus } from '../../state/focus.ts';
import { showTrace } from '../../state/log-filter.ts';
import { stepThroughChain } from '../../state/steps.ts';
import { copyText } from '../../state/toasts.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { keyed } from '../../widgets/keyed.ts';
import { LongText } from '../../widgets/long-text.tsx';
import { RecordedAbout } from './recorded-about.tsx';
import './details.css';

export function NothingSelected() {
  return (
    <p className="empty muted">
      Nothing is selected. Click a mark, a lane, a chain step or an evidence to see its whole record; [ and ] step
      through the chain.
    </p>
  );
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
      <h2>{record.title}</h2>
      <Facts record={record} />
      <div className="button-row">
        <button type="button" onClick={() => void copyText(recordJson(record), 'Record')}>
          Copy JSON
        </button>
        <button type="button" className="plain" onClick={() => void copyText(record.ref, 'Evidence id')}>
          Copy id
        </button>
        <ItsTrace record={record} />
      </div>
      {record.fields.length > 0 ? <Fields record={record} /> : null}
      {record.kind === 'entity' ? (
        <RecordedAbout entity={record.ref.slice('entity:'.length)} />
      ) : (
        <Raw record={record} />
      )}
    </div>
  );
}

function Raw({ record }: { readonly record: EvidenceRecord }) {
  return (
    <>
      <h3>Raw record</h3>
      {record.raw === '' ? (
        <p className="muted">The raw text of this record was not kept.</p>
      ) : (
        <pre className="raw" data-testid="raw-record">
          <LongText text={record.raw} />
        </pre>
      )}
    </>
  );
}

/** A span's trace, or the one that a log record names. */
function ItsTrace({ record }: { readonly record: EvidenceRecord }) {
  const at = record.kind === 'span' ? record : record.kind === 'log' ? record.trace : null;
  if (!at) return null;
  return (
    <button type="button" className="plain" onClick={() => void showTrace(at.trace_id, at.span_id)}>
      Open its trace
    </button>
  );
}

function ChainPosition({ selected }: { readonly selected: string }) {
  const view = useIncident(useFocus((focus) => focus.incident));
  const at = view?.steps.findIndex((step) => step.ref === selected) ?? -1;
  if (!view || at < 0) return null;
  return (
    <div className="chain-position">
      <span className="muted">
        Step {at + 1} of {view.steps.length} in the chain
      </span>
      <button
        type="button"
        className="plain"
        disabled={at === 0}
        aria-label="Previous step"
        title="Previous step  ["
        onClick={() => stepThroughChain(-1)}
      >
        ‹
      </button>
      <button
        type="button"
        className="plain"
        disabled={at === view.steps.length - 1}
        aria-label="Next step"
        title="Next step  ]"
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
      <dt>id</dt>
      <dd className="mono">{record.ref}</dd>
      <dt>kind</dt>
      <dd>{record.kind}</dd>
      {time === null ? null : (
        <>
          <dt>time</dt>
          <dd>
            <button
              type="button"
              className="link"
              title="Show this instant on the timeline"
              onClick={() => select(record.ref, time)}
            >
              {format.mode === 'relative' ? '' : `${formatDate(time, format)} `}
              {formatTime(time, format, 6)}
            </button>{' '}
            <span className="muted">
              {zoneName(format.mode)}
              {onset !== null && format.mode !== 'relative' ? `, onset ${formatOffset(Number(time - onset), 3)}` : ''}
            </span>
          </dd>
        </>
      )}
      <dt>source</dt>
      <dd className="mono">{record.source ?? 'unknown'}</dd>
    </dl>
  );
}

function Fields({ record }: { readonly record: EvidenceRecord }) {
  return (
    <table className="fields">
      <caption className="visually-hidden">Fields of the record</caption>
      <tbody>
        {keyed(record.fields).map(({ key, value: { name, value } }) => (
          <tr key={key}>
            <th scope="row" className="mono">
              {name}
            </th>
            <td className="mono">{value === '' ? <span className="muted">empty</span> : <LongText text={value} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
