import { impactedText } from '../../model/incident/incident.ts';
import { showSources, showView } from '../state/case-state.ts';
import { useFocus } from '../state/focus.ts';
import { toggleFollowing } from '../state/follow-live.ts';
import { useIncidents } from '../state/known.ts';
import { feedText, isRecording, someDown, stopCapture, useLive } from '../state/live.ts';
import { messages } from './messages/live.ts';

/** State of the running capture and its feeds, and whether the window follows it. */
export function LiveBadge() {
  const capture = useLive((state) => (isRecording(state) ? state.capture : null));
  const following = useFocus((focus) => focus.following);
  if (!capture) return null;
  const words = feedText(capture.feeds);
  return (
    <span className="live" data-testid="live">
      <Hangs since_ns={capture.began_ns} />
      <button
        type="button"
        className="plain live-badge"
        title={messages.badge.title}
        onClick={() => showSources('feeds')}
      >
        <span className="live-mark" aria-hidden="true">
          ●
        </span>{' '}
        {capture.phase === 'ending' ? messages.badge.ending : messages.badge.live}{' '}
        <span className={someDown(capture.feeds) ? 'live-down' : 'muted'}>
          {someDown(capture.feeds) ? <span aria-hidden="true">▲ </span> : null}
          {words}
        </span>
      </button>
      <button
        type="button"
        aria-pressed={following}
        title={following ? messages.badge.pauseTitle : messages.badge.catchUpTitle}
        onClick={toggleFollowing}
      >
        {following ? messages.badge.pause : messages.badge.catchUp}
      </button>
      <button
        type="button"
        title={messages.badge.stopTitle}
        disabled={capture.phase === 'ending'}
        onClick={() => void stopCapture()}
      >
        {messages.badge.stop}
      </button>
    </span>
  );
}

/** Jobs that stalled during the capture and did not go on; on every view, because a job that hangs costs all of its GPUs. */
function Hangs({ since_ns }: { readonly since_ns: bigint }) {
  const hanging = (useIncidents() ?? []).filter(
    ({ incident, end_ns }) => incident.harm === 'stalled' && !incident.went_on && end_ns >= since_ns,
  );
  const [first, ...others] = hanging;
  if (!first) return null;
  return (
    <button
      type="button"
      className="plain live-down"
      title={messages.badge.hangsTitle}
      data-testid="hangs"
      onClick={() => showView('jobs')}
    >
      <span aria-hidden="true">▲</span> {messages.badge.hangs(impactedText(first.incident), others.length)}
    </button>
  );
}
