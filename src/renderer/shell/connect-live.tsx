import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Problem } from '../../model/problem.ts';
import { useCase } from '../state/case-state.ts';
import { isRecording, showConnecting, useLive } from '../state/live.ts';
import {
  editText,
  openPlan,
  planText,
  savePlan,
  selectFeed,
  testPlan,
  useFeedKinds,
  usePlan,
} from '../state/plan-draft.ts';
import { startCapture } from '../state/start-capture.ts';
import { ProblemNote } from '../widgets/problem-note.tsx';
import { messages } from './messages/live.ts';
import { PlanForm } from './plan-form.tsx';
import './connect-live.css';

/** The plan of a capture: feeds, their settings, their connection test, and the plan file. */
export function ConnectLive() {
  return useLive((state) => state.connecting) ? <Opened /> : null;
}

function Opened() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [newCase, setNewCase] = useState(true);
  const draft = usePlan();
  const recording = useLive(isRecording);
  useEffect(() => dialog.current?.showModal(), []);
  const { problem: kindsProblem } = useFeedKinds();
  const mayStart = draft.feeds.length > 0 && draft.problems.length === 0 && !recording;
  const start = async () => {
    if (draft.feeds.length === 0 || recording) return;
    // What was typed a moment ago is still being checked.
    const plan = await planText();
    if (usePlan.getState().problems.length > 0) return;
    const failed = await startCapture(plan, newCase);
    setProblem(failed);
    if (!failed) showConnecting(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys must not reach the view behind the dialog.
    event.stopPropagation();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void start();
  };
  const shown = problem ?? draft.problem ?? kindsProblem;
  return (
    <dialog
      ref={dialog}
      className="connect-live"
      aria-label={messages.connect.title}
      data-testid="connect-live-dialog"
      onKeyDown={onKeyDown}
      onClose={() => showConnecting(false)}
    >
      <header>
        <h2>{messages.connect.title}</h2>
        <span className="muted">{messages.connect.about}</span>
      </header>
      <div className="connect-parts">
        <FeedList />
        <PlanForm />
        <PlanText />
      </div>
      {shown ? <ProblemNote problem={shown} /> : null}
      <footer>
        <button type="button" onClick={openPlan}>
          {messages.connect.openPlan}
        </button>
        <button type="button" disabled={draft.text === ''} onClick={() => void savePlan()}>
          {messages.connect.savePlan}
        </button>
        <span className="spring" />
        <Destination newCase={newCase} onChange={setNewCase} />
        <button type="button" onClick={() => dialog.current?.close()}>
          {messages.connect.cancel} <kbd>Esc</kbd>
        </button>
        <button
          type="button"
          disabled={draft.feeds.length === 0 || draft.problems.length > 0}
          onClick={() => void testPlan()}
        >
          {draft.testing ? messages.connect.testing : messages.connect.test}
        </button>
        <button type="button" className="primary" disabled={!mayStart} onClick={() => void start()}>
          {messages.connect.start} <kbd>Ctrl Enter</kbd>
        </button>
      </footer>
    </dialog>
  );
}

function Destination({ newCase, onChange }: { readonly newCase: boolean; onChange(newCase: boolean): void }) {
  const name = useCase((state) => state.name);
  const recording = useLive(isRecording);
  if (recording) return <span className="muted">{messages.connect.running}</span>;
  if (name === null) return <span className="muted">{messages.connect.intoNew}</span>;
  return (
    <label>
      {messages.connect.into}{' '}
      <select value={newCase ? 'new' : 'open'} onChange={(event) => onChange(event.target.value === 'new')}>
        <option value="open">{name}</option>
        <option value="new">{messages.connect.newCase}</option>
      </select>
    </label>
  );
}

function FeedList() {
  const { feeds, selected, problems, tested } = usePlan();
  const { value: kinds = [] } = useFeedKinds();
  const titleOf = (kind: unknown) => kinds.find((one) => one.kind === kind)?.title ?? String(kind);
  return (
    <nav className="connect-feeds" aria-label={messages.connect.feeds}>
      <ul>
        {feeds.map((feed, at) => {
          const isWrong = problems.some((one) => one.feed === at);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a feed
            <li key={at}>
              <button
                type="button"
                className="plain"
                aria-current={at === selected ? 'true' : undefined}
                onClick={() => selectFeed(at)}
              >
                <b className="ellipsis">{nameOf(feed) ?? titleOf(feed['kind'])}</b>
                <span className={isWrong ? 'connect-wrong' : 'muted'}>
                  {isWrong ? messages.connect.incomplete : testedText(tested[at]?.passed, titleOf(feed['kind']))}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      <button type="button" aria-current={selected === null ? 'true' : undefined} onClick={() => selectFeed(null)}>
        {messages.connect.addFeed}
      </button>
    </nav>
  );
}

/** Distinguishes feeds of one kind. */
const nameOf = (feed: Readonly<Record<string, unknown>>): string | null =>
  ['name', 'host', 'url', 'address'].map((path) => feed[path]).find((value) => typeof value === 'string') ?? null;

const testedText = (passed: boolean | null | undefined, otherwise: string): string =>
  passed === true
    ? messages.connect.reached
    : passed === false
      ? messages.connect.notReached
      : passed === null
        ? messages.connect.testingFeed
        : otherwise;

function PlanText() {
  const { text, problems } = usePlan();
  const whole = problems.filter(({ feed }) => feed === null);
  return (
    <section className="connect-text">
      <label htmlFor="plan-text">{messages.connect.planText}</label>
      <textarea
        id="plan-text"
        className="mono"
        spellCheck={false}
        value={text}
        placeholder={'feeds:\n  - kind: otlp'}
        aria-invalid={problems.length > 0}
        aria-describedby="plan-text-problems"
        onChange={(event) => editText(event.target.value)}
      />
      <p id="plan-text-problems" className="connect-wrong" role="status">
        {whole.map(({ message }) => message).join('; ')}
      </p>
      <p className="muted">{messages.connect.planHelp}</p>
    </section>
  );
}
