import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Problem } from '../../model/problem.ts';
import { useCase } from '../state/case-state.ts';
import { isRecording, showConnecting, useLive } from '../state/live.ts';
import {
  editText,
  loadKinds,
  openPlan,
  planText,
  savePlan,
  selectFeed,
  testPlan,
  usePlan,
} from '../state/plan-draft.ts';
import { startCapture } from '../state/session.ts';
import { ProblemNote } from '../widgets/problem-note.tsx';
import { PlanForm } from './plan-form.tsx';
import './connect-live.css';

/** What is to be recorded live: feeds, their settings, whether they can be reached, and the file that says so. */
export function ConnectLive() {
  return useLive((state) => state.connecting) ? <Opened /> : null;
}

function Opened() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [newCase, setNewCase] = useState(false);
  const draft = usePlan();
  const recording = useLive(isRecording);
  useEffect(() => {
    dialog.current?.showModal();
    void loadKinds();
  }, []);
  const mayStart = draft.feeds.length > 0 && draft.problems.length === 0 && !recording;
  const start = async () => {
    if (!mayStart) return;
    const failed = await startCapture(await planText(), newCase);
    setProblem(failed);
    if (!failed) showConnecting(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // What waits behind must not move meanwhile.
    event.stopPropagation();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void start();
  };
  const shown = problem ?? draft.problem;
  return (
    <dialog
      ref={dialog}
      className="connect-live"
      aria-label="Connect live"
      data-testid="connect-live-dialog"
      onKeyDown={onKeyDown}
      onClose={() => showConnecting(false)}
    >
      <header>
        <h2>Connect live</h2>
        <span className="muted">
          What is chosen here is recorded until you end it; what comes stays on this machine.
        </span>
      </header>
      <div className="connect-parts">
        <FeedList />
        <PlanForm />
        <PlanText />
      </div>
      {shown ? <ProblemNote problem={shown} /> : null}
      <footer>
        <button type="button" onClick={openPlan}>
          Open a plan…
        </button>
        <button type="button" disabled={draft.text === ''} onClick={() => void savePlan()}>
          Save the plan…
        </button>
        <span className="spring" />
        <Destination newCase={newCase} onChange={setNewCase} />
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel <kbd>Esc</kbd>
        </button>
        <button
          type="button"
          disabled={draft.feeds.length === 0 || draft.problems.length > 0}
          onClick={() => void testPlan()}
        >
          {draft.isTesting ? 'Testing…' : 'Test'}
        </button>
        <button type="button" className="primary" disabled={!mayStart} onClick={() => void start()}>
          Start recording <kbd>Ctrl Enter</kbd>
        </button>
      </footer>
    </dialog>
  );
}

function Destination({ newCase, onChange }: { readonly newCase: boolean; onChange(newCase: boolean): void }) {
  const name = useCase((state) => state.info?.name ?? null);
  const recording = useLive(isRecording);
  if (recording) return <span className="muted">A capture is running: end it before another begins.</span>;
  if (name === null) return <span className="muted">into a new case</span>;
  return (
    <label>
      into{' '}
      <select value={newCase ? 'new' : 'open'} onChange={(event) => onChange(event.target.value === 'new')}>
        <option value="open">{name}</option>
        <option value="new">a new case</option>
      </select>
    </label>
  );
}

function FeedList() {
  const { feeds, kinds, selected, problems, tested } = usePlan();
  const titleOf = (kind: unknown) => kinds.find((one) => one.kind === kind)?.title ?? String(kind);
  return (
    <nav className="connect-feeds" aria-label="Feeds of the plan">
      <ul>
        {feeds.map((feed, at) => {
          const isWrong = problems.some((one) => one.feed === at);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: its place is what names a feed
            <li key={at}>
              <button
                type="button"
                className="plain"
                aria-current={at === selected ? 'true' : undefined}
                onClick={() => selectFeed(at)}
              >
                <b className="ellipsis">{nameOf(feed) ?? titleOf(feed['kind'])}</b>
                <span className={isWrong ? 'connect-wrong' : 'muted'}>
                  {isWrong ? '▲ to be mended' : testedText(tested[at]?.passed, titleOf(feed['kind']))}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      <button type="button" aria-current={selected === null ? 'true' : undefined} onClick={() => selectFeed(null)}>
        + Add a feed
      </button>
    </nav>
  );
}

/** What tells feeds of one kind apart. */
const nameOf = (feed: Readonly<Record<string, unknown>>): string | null =>
  ['name', 'host', 'url', 'address'].map((path) => feed[path]).find((value) => typeof value === 'string') ?? null;

const testedText = (passed: boolean | null | undefined, otherwise: string): string =>
  passed === true ? '✓ reached' : passed === false ? '▲ not reached' : passed === null ? 'testing…' : otherwise;

function PlanText() {
  const { text, problems } = usePlan();
  const whole = problems.filter(({ feed }) => feed === null);
  return (
    <section className="connect-text">
      <label htmlFor="plan-text">The plan, as the command line reads it</label>
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
      <p className="muted">
        faultline capture plan.yaml --case CASE. Changing a field writes this anew, without comments.
      </p>
    </section>
  );
}
