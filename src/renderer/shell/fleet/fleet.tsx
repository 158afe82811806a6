import { type KeyboardEvent, useEffect, useRef } from 'react';
import { formatCount } from '../../draw/text/format-value.ts';
import { useArchive, useArchiveKinds } from '../../state/archive-draft.ts';
import { askFleet, pullFromFleet, showFleet, useFleet } from '../../state/fleet-draft.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { messages } from '../messages/fleet.ts';
import { FleetArchive } from './fleet-archive.tsx';
import { FleetChoice } from './fleet-choice.tsx';
import { FleetHeatMap } from './fleet-heat-map.tsx';
import { FleetQuestion } from './fleet-question.tsx';
import { FleetTable } from './fleet-table.tsx';
import '../connect-live.css';
import '../open-archive.css';
import './fleet.css';

/** A fleet over a day: which services did worse, and from there into a case. */
export function Fleet() {
  return useFleet((state) => state.open) ? <Opened /> : null;
}

function Opened() {
  const dialog = useRef<HTMLDialogElement>(null);
  const { problem: kindsProblem } = useArchiveKinds();
  useEffect(() => dialog.current?.showModal(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys must not reach the view behind the dialog.
    event.stopPropagation();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    if (useFleet.getState().choice && !useArchive.getState().running) void pullFromFleet();
  };
  return (
    <dialog
      ref={dialog}
      className="connect-live fleet"
      aria-label={messages.title}
      data-testid="fleet-dialog"
      onKeyDown={onKeyDown}
      onClose={() => showFleet(false)}
    >
      <header>
        <h2>{messages.title}</h2>
        <span className="muted ellipsis">{messages.about}</span>
      </header>
      <FleetQuestion />
      <FleetArchive />
      {kindsProblem ? <ProblemNote problem={kindsProblem} /> : null}
      <div className="fleet-parts">
        <Answer />
        <FleetChoice />
      </div>
      <button type="button" className="fleet-close" onClick={() => dialog.current?.close()}>
        {messages.close} <kbd>Esc</kbd>
      </button>
    </dialog>
  );
}

function Answer() {
  const { found, problem, progress, running } = useFleet();
  return (
    <section className="fleet-answer" aria-label={messages.answer}>
      {problem ? <ProblemNote problem={problem} onRetry={() => void askFleet()} /> : null}
      {running ? (
        <div aria-live="polite" data-testid="fleet-progress">
          {progress ? (
            <Progress
              label={messages.measuring(formatCount(progress.done), formatCount(progress.services))}
              done={progress.done}
              total={progress.services}
            />
          ) : (
            <Progress label={messages.asking} />
          )}
        </div>
      ) : null}
      {!found && !running && !problem ? <p className="empty muted">{messages.empty}</p> : null}
      {found && found.rows.length === 0 ? <p className="empty muted">{messages.noServices}</p> : null}
      {found && found.rows.length > 0 ? (
        <>
          <p role="status">
            {messages.found(
              formatCount(found.impacts.length),
              formatCount(found.services),
              formatCount(found.requests),
            )}
            {found.rows.length < found.services ? messages.leftOut(formatCount(found.rows.length)) : ''}
          </p>
          <FleetHeatMap found={found} />
          <FleetTable impacts={found.impacts} />
        </>
      ) : null}
    </section>
  );
}
