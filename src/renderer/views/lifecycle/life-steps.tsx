import type { LifeView } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { lengthOf, lifeMarkdown, outcomeGlyph, outcomeText, waitText } from '../../draw/text/life-text.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails, showView } from '../../state/case-state.ts';
import { select, setWindow, useFocus } from '../../state/focus.ts';
import { makeWindow, padWindow } from '../../state/time-window.ts';
import { copyText } from '../../state/toasts.ts';
import { openTrace } from '../../state/traces.ts';
import { formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { actByKey, openAt } from '../../widgets/action-menu.tsx';
import { messages } from './messages.ts';

/** Steps and waits in order; each step links to its record. */
export function LifeSteps({ life }: { readonly life: LifeView }) {
  const format = useTimeFormat();
  const selected = useFocus((focus) => focus.selected);
  const trace = life.trace_id;
  const entries = [
    ...life.steps.map((step) => ({ kind: 'step' as const, at: step.start_ns, step })),
    ...life.waits.map((wait) => ({ kind: 'wait' as const, at: wait.start_ns, wait })),
  ].sort((a, b) => (a.at === b.at ? Number(a.kind === 'wait') - Number(b.kind === 'wait') : a.at < b.at ? -1 : 1));
  return (
    <div className="life-steps">
      <p className="life-head">
        <span className={`outcome ${life.outcome}`}>
          <span aria-hidden="true">{outcomeGlyph[life.outcome]}</span> {outcomeText(life.outcome)}
        </span>{' '}
        {messages.steps.title(
          life.trouble,
          life.node ?? messages.list.unnamedNode,
          formatDuration(lengthOf(life)),
          life.why,
        )}
        <span className="spring" />
        {trace === null ? null : (
          <button type="button" className="plain" onClick={() => showTrace(life, trace)}>
            {messages.steps.trace}
          </button>
        )}
        <button type="button" className="plain" onClick={() => showTime(life)}>
          {messages.steps.timeline}
        </button>
        <button
          type="button"
          className="plain"
          onClick={() => void copyText(lifeMarkdown(life, format), messages.markdown)}
        >
          {messages.copyMarkdown}
        </button>
      </p>
      <ol>
        {entries.map((entry) =>
          entry.kind === 'wait' ? (
            <li key={`wait ${entry.at}`} className="muted">
              <span style={{ width: `calc(${instantWidth(format, 112)} + 104px)` }} />
              {messages.steps.waited(waitText(entry.wait))}
            </li>
          ) : (
            <li key={`${entry.step.ref} ${entry.step.name}`}>
              <button
                type="button"
                className="plain"
                aria-current={entry.step.ref === selected}
                onClick={() => {
                  select(entry.step.ref, nanos(entry.step.start_ns));
                  showDetails();
                }}
                onContextMenu={(event) => openAt(event, () => recordTarget(entry.step.name, [entry.step.ref]))}
                onKeyDown={(event) => {
                  if (!actByKey(event, () => recordTarget(entry.step.name, [entry.step.ref]))) return;
                  event.preventDefault();
                  event.stopPropagation();
                }}
              >
                <span className="number" style={{ width: instantWidth(format, 112) }}>
                  {formatInstant(nanos(entry.step.start_ns), format)}
                </span>
                <b>{entry.step.stage}</b>
                <span className="ellipsis">
                  {entry.step.name}
                  {lengthOf(entry.step) > 0 ? ` ${formatDuration(lengthOf(entry.step))}` : ''}
                  {entry.step.failed ? <span className="outcome failed"> {messages.steps.failed}</span> : null}
                  {entry.step.message === '' ? null : <span className="muted"> {entry.step.message}</span>}
                </span>
              </button>
            </li>
          ),
        )}
      </ol>
    </div>
  );
}

function showTrace({ ref, start_ns }: LifeView, trace_id: string): void {
  openTrace({ trace_id, ref, start_ns });
  showView('traces');
}

function showTime(life: LifeView): void {
  setWindow(padWindow(makeWindow(nanos(life.start_ns), Math.max(lengthOf(life), 1e9)), 0.1), 'repair');
  showView('timeline');
}
