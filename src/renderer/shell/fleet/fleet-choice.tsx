import { visibleLine } from '../../../base/visible-text.ts';
import { dashboardLink } from '../../../model/grafana-link.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { formatNumber } from '../../draw/text/format-value.ts';
import { planPull, stopArchive, useArchive } from '../../state/archive-draft.ts';
import { type FleetChoice as Choice, pullFromFleet, useFleet } from '../../state/fleet-draft.ts';
import { spanOf } from '../../state/time-window.ts';
import { copyText } from '../../state/toasts.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { messages } from '../messages/fleet.ts';
import { PullMissing, PullPlan, PullProgress } from '../pull-progress.tsx';
import { PullDestination, PullWindow } from '../pull-window.tsx';
import { utcText } from './utc-text.ts';

/** What was chosen: what a pull of it would be, and the pull. */
export function FleetChoice() {
  const choice = useFleet((state) => state.choice);
  const { problem, running } = useArchive();
  const texts = messages.choice;
  return (
    <aside className="fleet-choice archive-pull" aria-label={texts.title}>
      <h3>{texts.title}</h3>
      {choice === null ? (
        <p className="muted">{texts.none}</p>
      ) : (
        <>
          <p data-testid="fleet-chosen">
            <b>{textOf(choice)}</b>
          </p>
          <p className="muted">{texts.around}</p>
          <PullWindow />
          <p className="muted">{texts.services}</p>
          {running?.what === 'plan' ? <p role="status">{texts.planning}</p> : null}
          <PullPlan />
          <PullProgress />
          <PullMissing />
          {problem ? <ProblemNote problem={problem} onRetry={() => void planPull()} /> : null}
          <div className="button-row">
            <GrafanaLink choice={choice} />
            <PullDestination />
            <button type="button" disabled={running !== null} onClick={() => void planPull()}>
              {texts.plan}
            </button>
            {running?.what === 'pull' ? (
              <button type="button" onClick={stopArchive}>
                {texts.cancel}
              </button>
            ) : (
              <button type="button" className="primary" onClick={() => void pullFromFleet()}>
                {texts.pull} <kbd>Ctrl Enter</kbd>
              </button>
            )}
          </div>
        </>
      )}
    </aside>
  );
}

/** The browser decides what an address opens: the page only copies it. */
function GrafanaLink({ choice: { window } }: { readonly choice: Choice }) {
  const base = useArchive((state) => state.fields['grafana']);
  if (typeof base !== 'string' || base === '') return null;
  const link = dashboardLink(base, { from_ns: window.startNs, until_ns: window.endNs });
  return (
    <button type="button" title={link} onClick={() => void copyText(link, messages.grafana.link)}>
      {messages.grafana.copy}
    </button>
  );
}

function textOf({ services, window, impact }: Choice): string {
  const [from, lasted] = [utcText(window.startNs), formatDuration(spanOf(window))];
  const [first = ''] = services;
  const { choice } = messages;
  if (impact) return choice.impact(visibleLine(impact.service), formatNumber(impact.times_worse), from, lasted);
  return choice.brushed(services.length === 1 ? visibleLine(first) : choice.several(services.length), from, lasted);
}
