import { type KeyboardEvent, useEffect, useRef } from 'react';
import {
  chooseArchive,
  editArchiveText,
  planPull,
  runPull,
  setArchiveField,
  showArchive,
  stopArchive,
  testArchive,
  useArchive,
  useArchiveKinds,
} from '../state/archive-draft.ts';
import { choosePlan, savePlanFile } from '../state/plan-draft.ts';
import { ProblemNote } from '../widgets/problem-note.tsx';
import { messages } from './messages/archive.ts';
import { PlanFields } from './plan-fields.tsx';
import { PullMissing, PullPlan, PullProgress } from './pull-progress.tsx';
import { PullDestination, PullWindow } from './pull-window.tsx';
import { TestSteps } from './test-steps.tsx';
import './connect-live.css';
import './open-archive.css';

/** The form of a pull: which archive, which window, what it would be, and how far it is. */
export function OpenArchive() {
  return useArchive((state) => state.open) ? <Opened /> : null;
}

function Opened() {
  const dialog = useRef<HTMLDialogElement>(null);
  const { problem, running, problems, text, tested } = useArchive();
  const { problem: kindsProblem } = useArchiveKinds();
  useEffect(() => dialog.current?.showModal(), []);
  const mayAsk = text !== '' && problems.length === 0;
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys must not reach the view behind the dialog.
    event.stopPropagation();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && mayAsk && !running) void runPull();
  };
  const close = () => {
    stopArchive();
    showArchive(false);
  };
  const shown = problem ?? kindsProblem;
  return (
    <dialog
      ref={dialog}
      className="connect-live open-archive"
      aria-label={messages.title}
      data-testid="open-archive-dialog"
      onKeyDown={onKeyDown}
      onClose={close}
    >
      <header>
        <h2>{messages.title}</h2>
        <span className="muted">{messages.about}</span>
      </header>
      <div className="connect-parts">
        <Kinds />
        <Settings />
        <section className="archive-pull" aria-label={messages.wanted}>
          <PullWindow />
          <TestSteps tested={tested ?? undefined} />
          <PullPlan />
          <PullProgress />
          <PullMissing />
        </section>
      </div>
      {shown ? <ProblemNote problem={shown} /> : null}
      <Footer mayAsk={mayAsk} onClose={() => dialog.current?.close()} />
    </dialog>
  );
}

function Footer({ mayAsk, onClose }: { readonly mayAsk: boolean; onClose(): void }) {
  const { running, text } = useArchive();
  const refuse = (problem: { readonly code: string; readonly message: string }) => useArchive.setState({ problem });
  return (
    <footer>
      <button type="button" onClick={() => choosePlan(editArchiveText, refuse)}>
        {messages.openPlan}
      </button>
      <button type="button" disabled={text === ''} onClick={() => void savePlanFile('archive.yaml', text)}>
        {messages.savePlan}
      </button>
      <span className="spring" />
      <PullDestination />
      <button type="button" onClick={onClose}>
        {messages.close} <kbd>Esc</kbd>
      </button>
      <button type="button" disabled={!mayAsk || running?.what === 'pull'} onClick={() => void testArchive()}>
        {running?.what === 'test' ? messages.testing : messages.test}
      </button>
      <button type="button" disabled={!mayAsk || running?.what === 'pull'} onClick={() => void planPull()}>
        {running?.what === 'plan' ? messages.planning : messages.plan}
      </button>
      {running?.what === 'pull' ? (
        <button type="button" onClick={stopArchive}>
          {messages.cancel}
        </button>
      ) : (
        <button type="button" className="primary" disabled={!mayAsk} onClick={() => void runPull()}>
          {messages.pull} <kbd>Ctrl Enter</kbd>
        </button>
      )}
    </footer>
  );
}

function Kinds() {
  const chosen = useArchive((state) => state.fields['kind']);
  const { value: kinds = [] } = useArchiveKinds();
  return (
    <nav className="connect-feeds" aria-label={messages.kinds}>
      <ul>
        {kinds.map(({ kind, title }) => (
          <li key={kind}>
            <button
              type="button"
              className="plain"
              aria-current={kind === chosen ? 'true' : undefined}
              data-testid={`archive-${kind}`}
              onClick={() => chooseArchive(kind)}
            >
              {title}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Settings() {
  const { fields, problems, text } = useArchive();
  const { value: kinds = [] } = useArchiveKinds();
  const kind = kinds.find((one) => one.kind === fields['kind']);
  const elsewhere = problems.filter(({ path }) => !kind?.fields.some((field) => field.path === path));
  return (
    <section className="connect-form" aria-label={messages.settings}>
      <h3>{kind?.title ?? messages.choose}</h3>
      <p className="muted">{kind?.about}</p>
      {text === ''
        ? null
        : elsewhere.map(({ path, message }) => (
            <p key={`${path} ${message}`} className="connect-wrong" role="alert">
              ▲ {path === '' ? message : `${path}: ${message}`}
            </p>
          ))}
      <PlanFields fields={kind?.fields ?? []} values={fields} problems={problems} onSet={setArchiveField} />
      <div className="connect-text archive-text">
        <label htmlFor="archive-text">{messages.planText}</label>
        <textarea
          id="archive-text"
          className="mono"
          spellCheck={false}
          value={text}
          placeholder={'kind: prometheus\nurl: https://metrics.example:9090'}
          onChange={(event) => editArchiveText(event.target.value)}
        />
        <p className="muted">{messages.planHelp}</p>
      </div>
    </section>
  );
}
