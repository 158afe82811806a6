import type { Nanos } from '../../model/time.ts';
import { useFocus } from './focus.ts';
import type { TimeWindow } from './focus-history.ts';
import { hostNow } from './host-clock.ts';
import { isRecording, useLive } from './live.ts';
import { plus, spanOf } from './time-window.ts';

/** Window length until the investigator selects one. */
const FIRST_SPAN_NS = 120e9;
const LONGEST_SPAN_NS = 3600e9;
/** Step of the window with reduced motion. */
const STILL_STEP_NS = 1e9;

/** Share of the window after the present, where lanes write their values. */
const AHEAD = 0.1;

/** Moves the window's right end to the present and follows it, with the same window length. */
export function catchUpWithLive(): void {
  const { window } = useFocus.getState();
  const span = spanOf(window);
  // Without a case, the window is a second long.
  const length = span <= 1e9 || span > LONGEST_SPAN_NS ? FIRST_SPAN_NS : span;
  useFocus.setState({ following: true, window: upToNow(length) });
}

function upToNow(length: number): TimeWindow {
  const endNs = plus(hostNow(), length * AHEAD);
  return { startNs: plus(endNs, -length), endNs };
}

/** Position of new data in a window that follows. */
export const liveEdge = (window: TimeWindow): Nanos => plus(window.endNs, -spanOf(window) * AHEAD);

/** Stops or resumes following. Returns false if nothing is live. */
export function toggleFollowing(): boolean {
  if (!isRecording(useLive.getState())) return false;
  if (useFocus.getState().following) useFocus.setState({ following: false });
  else catchUpWithLive();
  return true;
}

/** Moves the window by at least a pixel: smaller steps are invisible and cost a frame. */
function glide(): void {
  const { window: shown } = useFocus.getState();
  const next = upToNow(spanOf(shown));
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const pixel = spanOf(shown) / (globalThis.innerWidth * globalThis.devicePixelRatio);
  const moved = Math.abs(Number(next.endNs - shown.endNs));
  if (moved >= (isStill ? Math.max(STILL_STEP_NS, pixel) : pixel)) useFocus.setState({ window: next });
}

/** After a reload: the window followed before, and will again when it learns that a capture is running. */
export const resumeFollowing = (willFollow: boolean): void => useLive.setState({ willFollow });

/** Whether the window follows, or will. */
export const goesWithTime = (): boolean => useFocus.getState().following || useLive.getState().willFollow;

export function listenFollowing(): void {
  let frame = 0;
  const onFrame = () => {
    frame = useFocus.getState().following ? requestAnimationFrame(onFrame) : 0;
    if (frame !== 0) glide();
  };
  useFocus.subscribe(({ following }) => {
    if (following && frame === 0) frame = requestAnimationFrame(onFrame);
  });
  useLive.subscribe(({ capture, willFollow }) => {
    if (!willFollow || capture === null) return;
    useLive.setState({ willFollow: false });
    if (isRecording({ capture })) catchUpWithLive();
  });
}
