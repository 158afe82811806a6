import { showSources } from '../state/case-state.ts';
import { useFocus } from '../state/focus.ts';
import { toggleFollowing } from '../state/follow-live.ts';
import { feedText, isRecording, someDown, useLive } from '../state/live.ts';

/** That something is recorded right now, how its feeds stand, and whether the window goes with it. */
export function LiveBadge() {
  const capture = useLive((state) => (isRecording(state) ? state.capture : null));
  const following = useFocus((focus) => focus.following);
  if (!capture) return null;
  const words = feedText(capture.feeds);
  return (
    <span className="live" data-testid="live">
      <button
        type="button"
        className="plain live-badge"
        title="Feeds of the capture, and their gaps"
        onClick={() => showSources('feeds')}
      >
        <span className="live-mark" aria-hidden="true">
          ●
        </span>{' '}
        {capture.phase === 'ending' ? 'ending' : 'live'}{' '}
        <span className={someDown(capture.feeds) ? 'live-down' : 'muted'}>
          {someDown(capture.feeds) ? <span aria-hidden="true">▲ </span> : null}
          {words}
        </span>
      </button>
      <button
        type="button"
        aria-pressed={following}
        title={following ? 'Stop following what comes in  Space' : 'Back to what comes in right now  Space'}
        onClick={toggleFollowing}
      >
        {following ? 'Pause' : 'Catch up'}
      </button>
    </span>
  );
}
