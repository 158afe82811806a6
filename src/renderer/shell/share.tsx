import { type KeyboardEvent, useEffect, useRef } from 'react';
import { formatDate, formatTime, zoneName } from '../draw/text/format-time.ts';
import { formatCount, formatRows } from '../draw/text/format-value.ts';
import { useCan } from '../state/abilities.ts';
import { useCase } from '../state/case-state.ts';
import { useFocus } from '../state/focus.ts';
import { cancelSharing, chooseSharing, previewSharing, showSharing, useShare, writeBundle } from '../state/share.ts';
import { useTimeFormat } from '../state/use-time-format.ts';
import { ProblemNote } from '../widgets/problem-note.tsx';
import { Progress } from '../widgets/progress.tsx';
import './share.css';

/** The case as one file for somebody else: how much of it, under which names, and who vouches for it. */
export function Share() {
  return useShare((state) => state.open) ? <Opened /> : null;
}

function Opened() {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useCase((state) => state.info?.name ?? '');
  const { progress, problem, isInspecting } = useShare();
  const parts = useCan('parts');
  useEffect(() => dialog.current?.showModal(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    // What waits behind must not move meanwhile.
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
      aria-label="Share"
      data-testid="share-dialog"
      onKeyDown={onKeyDown}
      onClose={close}
    >
      <header>
        <h2>Share {name}</h2>
        <span className="muted">One file that opens in Faultline anywhere, with the same verdicts.</span>
      </header>
      <div className="share-body">
        {parts ? (
          <>
            <Extent />
            <Names />
          </>
        ) : null}
        {useCan('signatures') ? <Signature /> : null}
        {parts ? null : (
          <p className="muted">
            The whole case with what you added, not signed. Cuts, other names and signatures are made by the desktop app
            or the command line, from this file too.
          </p>
        )}
        {progress ? <Progress label={doing[progress.stage]} done={progress.done} total={progress.total} /> : null}
        {isInspecting ? <Progress label="Looking through the case" /> : null}
        {problem ? <ProblemNote problem={problem} what="No bundle was written" /> : null}
        <Preview />
        <Done />
      </div>
      <footer>
        {/* Never disabled: a button that has the focus and is disabled swallows every key. */}
        <button type="button" aria-disabled={isInspecting || progress !== null} onClick={() => void previewSharing()}>
          Preview
        </button>
        <span className="spring" />
        {progress ? (
          <button type="button" onClick={cancelSharing}>
            Cancel
          </button>
        ) : null}
        <button type="button" onClick={() => dialog.current?.close()}>
          Close <kbd>Esc</kbd>
        </button>
        <button type="button" className="primary" aria-disabled={progress !== null} onClick={() => void writeBundle()}>
          Save the bundle <kbd>Ctrl Enter</kbd>
        </button>
      </footer>
    </dialog>
  );
}

const doing = {
  tables: 'Writing tables',
  judging: 'Judging what goes along',
  redacting: 'Replacing names',
  sealing: 'Putting it together',
} as const;

function Extent() {
  const cut = useShare((state) => state.cut);
  const { startNs, endNs } = useFocus((focus) => focus.window);
  const entities = useFocus((focus) => focus.entities);
  const format = useTimeFormat();
  const day = format.mode === 'relative' ? '' : `${formatDate(startNs, format)} `;
  const time = `${day}${formatTime(startNs, format, 0)} to ${formatTime(endNs, format, 0)} ${zoneName(format.mode)}`;
  return (
    <fieldset>
      <legend>How much</legend>
      <label>
        <input type="radio" name="share-extent" checked={!cut} onChange={() => chooseSharing({ cut: false })} /> The
        whole case
      </label>
      <label>
        <input type="radio" name="share-extent" checked={cut} onChange={() => chooseSharing({ cut: true })} /> What is
        in focus: {time}
        {entities.length > 0 ? `, about ${entities.join(', ')}` : ''}
      </label>
      {cut ? (
        <p className="muted">
          What the incidents in it are judged by goes along, too: the minutes before them, and what hangs together with
          their things. The bundle and its report say that it is a cut.
        </p>
      ) : null}
    </fieldset>
  );
}

function Names() {
  const { redact, rules } = useShare();
  return (
    <fieldset>
      <legend>Names</legend>
      <label>
        <input type="checkbox" checked={redact} onChange={(event) => chooseSharing({ redact: event.target.checked })} />{' '}
        Replace names and addresses; the same thing has the same new name everywhere
      </label>
      {redact ? (
        <label className="share-rules">
          <span>Rules</span>
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
      <legend>Signature</legend>
      <label>
        Key in this system's keychain{' '}
        <input
          type="text"
          value={key}
          placeholder="none: not signed"
          spellCheck={false}
          onChange={(event) => chooseSharing({ key: event.target.value })}
        />
      </label>
      <p className="muted">An Ed25519 key, put there by: faultline secret set NAME &lt; key.pem</p>
    </fieldset>
  );
}

/** Enough to see how it is done; the command line lists them all. */
const MOST_NAMES = 200;

function Preview() {
  const preview = useShare((state) => state.preview);
  if (!preview) return null;
  const { rows, rows_of_case, redaction } = preview;
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((all, count) => all + count, 0);
  return (
    <section aria-label="Preview" className="share-preview" data-testid="share-preview">
      <p>
        {formatCount(sum(rows))} of {formatCount(sum(rows_of_case))} rows: {formatRows(rows)}
      </p>
      {redaction ? (
        <>
          <h3>
            {formatCount(redaction.names_total)} names
            {redaction.names_total > MOST_NAMES ? `, the first ${MOST_NAMES} of them` : ''}
          </h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
          <section className="share-names" aria-label="Names" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th>Here</th>
                  <th>In the bundle</th>
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
          <h3>Texts, a few of each kind</h3>
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
    <section aria-label="Result" role="status" data-testid="share-done">
      <p>
        <b>{done.name}</b>: {formatCount(done.rows)} rows, {(done.bytes / 2 ** 20).toFixed(1)} MiB.{' '}
        {done.signed_by === null ? 'Not signed.' : `Signed with the key ${done.signed_by.slice(0, 16)}….`}
      </p>
      <p className="muted">
        Root hash, to tell the receiver by another way: <code>{done.root}</code>
      </p>
      {done.changed.map((change) => (
        <p key={change} className="share-changed">
          ▲ Judged otherwise without what was left out: {change}
        </p>
      ))}
    </section>
  );
}
