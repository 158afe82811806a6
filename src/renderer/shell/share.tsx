import { type KeyboardEvent, useEffect, useRef } from 'react';
import { formatDate, formatTime, zoneName } from '../draw/text/format-time.ts';
import { formatCount, formatRows } from '../draw/text/format-value.ts';
import { useCan } from '../state/abilities.ts';
import { useCase } from '../state/case-state.ts';
import { useFocus } from '../state/focus.ts';
import {
  cancelSharing,
  chooseSharing,
  previewSharing,
  showSharing,
  usePreview,
  useShare,
  writeBundle,
} from '../state/share.ts';
import { useTimeFormat } from '../state/use-time-format.ts';
import { ProblemNote } from '../widgets/problem-note.tsx';
import { Progress } from '../widgets/progress.tsx';
import { messages } from './messages/share.ts';
import './share.css';

/** Exports the case as one file: which part, under which names, and with which signature. */
export function Share() {
  return useShare((state) => state.open) ? <Opened /> : null;
}

function Opened() {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useCase((state) => state.name ?? '');
  const { progress, problem: failure } = useShare();
  const { isLoading: isInspecting, problem: refusal } = usePreview();
  const problem = failure ?? refusal;
  const parts = useCan('parts');
  useEffect(() => dialog.current?.showModal(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys must not reach the view behind the dialog.
    event.stopPropagation();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void writeBundle();
  };
  const close = () => {
    cancelSharing();
    showSharing(false);
  };
  return (
    <dialog
      ref={dialog}
      className="share"
      aria-label={messages.title}
      data-testid="share-dialog"
      onKeyDown={onKeyDown}
      onClose={close}
    >
      <header>
        <h2>{messages.titleOf(name)}</h2>
        <span className="muted">{messages.about}</span>
      </header>
      <div className="share-body">
        {parts ? (
          <>
            <Extent />
            <Names />
          </>
        ) : null}
        {useCan('signatures') ? <Signature /> : null}
        {parts ? null : <p className="muted">{messages.browserOnly}</p>}
        {progress ? <Progress label={doing[progress.stage]} done={progress.done} total={progress.total} /> : null}
        {isInspecting ? <Progress label={messages.inspecting} /> : null}
        {problem ? <ProblemNote problem={problem} what={messages.failed} /> : null}
        <Preview />
        <Done />
      </div>
      <footer>
        {/* Never disabled: disabling the focused button would swallow every key. */}
        <button type="button" aria-disabled={isInspecting || progress !== null} onClick={previewSharing}>
          {messages.preview}
        </button>
        <span className="spring" />
        {progress ? (
          <button type="button" onClick={cancelSharing}>
            {messages.cancel}
          </button>
        ) : null}
        <button type="button" onClick={() => dialog.current?.close()}>
          {messages.close} <kbd>Esc</kbd>
        </button>
        <button type="button" className="primary" aria-disabled={progress !== null} onClick={() => void writeBundle()}>
          {messages.save} <kbd>Ctrl Enter</kbd>
        </button>
      </footer>
    </dialog>
  );
}

const doing = {
  tables: messages.stages.tables,
  judging: messages.stages.judging,
  redacting: messages.stages.redacting,
  sealing: messages.stages.sealing,
} as const;

function Extent() {
  const cut = useShare((state) => state.cut);
  const { startNs, endNs } = useFocus((focus) => focus.window);
  const entities = useFocus((focus) => focus.entities);
  const format = useTimeFormat();
  const day = format.mode === 'relative' ? '' : `${formatDate(startNs, format)} `;
  const time = messages.range(
    `${day}${formatTime(startNs, format, 0)}`,
    formatTime(endNs, format, 0),
    zoneName(format.mode),
  );
  return (
    <fieldset>
      <legend>{messages.extent.title}</legend>
      <label>
        <input type="radio" name="share-extent" checked={!cut} onChange={() => chooseSharing({ cut: false })} />{' '}
        {messages.extent.whole}
      </label>
      <label>
        <input type="radio" name="share-extent" checked={cut} onChange={() => chooseSharing({ cut: true })} />{' '}
        {messages.extent.cut(time, entities)}
      </label>
      {cut ? <p className="muted">{messages.extent.cutHint}</p> : null}
    </fieldset>
  );
}

function Names() {
  const { redact, rules } = useShare();
  return (
    <fieldset>
      <legend>{messages.names.title}</legend>
      <label>
        <input type="checkbox" checked={redact} onChange={(event) => chooseSharing({ redact: event.target.checked })} />{' '}
        {messages.names.replace}
      </label>
      {redact ? (
        <label className="share-rules">
          <span>{messages.names.rules}</span>
          <textarea
            className="mono"
            rows={6}
            spellCheck={false}
            value={rules}
            onChange={(event) => chooseSharing({ rules: event.target.value })}
          />
        </label>
      ) : null}
    </fieldset>
  );
}

function Signature() {
  const key = useShare((state) => state.key);
  return (
    <fieldset>
      <legend>{messages.signature.title}</legend>
      <label>
        {messages.signature.key}{' '}
        <input
          type="text"
          value={key}
          placeholder={messages.signature.placeholder}
          spellCheck={false}
          onChange={(event) => chooseSharing({ key: event.target.value })}
        />
      </label>
      <p className="muted">{messages.signature.hint}</p>
    </fieldset>
  );
}

/** Enough as a sample; the command line lists all. */
const MOST_NAMES = 200;

function Preview() {
  const { value: preview } = usePreview();
  if (!preview) return null;
  const { rows, rows_of_case, redaction } = preview;
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((all, count) => all + count, 0);
  return (
    <section aria-label={messages.preview} className="share-preview" data-testid="share-preview">
      <p>{messages.previewRows(formatCount(sum(rows)), formatCount(sum(rows_of_case)), formatRows(rows))}</p>
      {redaction ? (
        <>
          <h3>
            {messages.names.count(
              formatCount(redaction.names_total),
              redaction.names_total > MOST_NAMES ? MOST_NAMES : null,
            )}
          </h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
          <section className="share-names" aria-label={messages.names.title} tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th>{messages.names.original}</th>
                  <th>{messages.names.replaced}</th>
                </tr>
              </thead>
              <tbody>
                {redaction.names.slice(0, MOST_NAMES).map(({ before, after }) => (
                  <tr key={before}>
                    <td className="mono">{before}</td>
                    <td className="mono">{after}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          <h3>{messages.names.samples}</h3>
          <dl className="share-samples">
            {redaction.samples.slice(0, 40).map(({ place, before, after }) => (
              <div key={`${place} ${before}`}>
                <dt>{place}</dt>
                <dd className="mono">{after.slice(0, 300)}</dd>
              </div>
            ))}
          </dl>
        </>
      ) : null}
    </section>
  );
}

function Done() {
  const done = useShare((state) => state.done);
  if (!done) return null;
  return (
    <section aria-label={messages.result} role="status" data-testid="share-done">
      <p>
        <b>{done.name}</b>
        {messages.written(
          formatCount(done.rows),
          (done.bytes / 2 ** 20).toFixed(1),
          done.signed_by === null ? null : done.signed_by.slice(0, 16),
        )}
      </p>
      <p className="muted">
        {messages.rootHash} <code>{done.root}</code>
      </p>
      {done.changed.map((change) => (
        <p key={change} className="share-changed">
          {messages.verdictChanged(change)}
        </p>
      ))}
    </section>
  );
}
