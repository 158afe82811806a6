import type { Nanos } from '../../model/time.ts';
import { useFocus } from './focus.ts';
import type { TimeWindow } from './focus-history.ts';
import { hostNow } from './host-clock.ts';
import { isRecording, useLive } from './live.ts';
import { plus, spanOf } from './time-window.ts';

/** What is on screen when nobody has chosen a length yet. */
const FIRST_SPAN_NS = 120e9;
const LONGEST_SPAN_NS = 3600e9;
/** Steps of a window that must not glide. */
const STILL_STEP_NS = 1e9;

/** Of the window, beyond now: there the lanes write their values. */
const AHEAD = 0.1;

/** The right end of the window is now again, and goes with the time; as much as was on screen stays on screen. */
export function catchUpWithLive(): void {
  const { window } = useFocus.getState();
  const span = spanOf(window);
  // A window of no case is a second long.
  const length = span <= 1e9 || span > LONGEST_SPAN_NS ? FIRST_SPAN_NS : span;
  useFocus.setState({ following: true, window: upToNow(length) });
}

function upToNow(length: number): TimeWindow {
  const endNs = plus(hostNow(), length * AHEAD);
  return { startNs: plus(endNs, -length), endNs };
}

/** Where what comes in right now stands in a window that follows. */
export const liveEdge = (window: TimeWindow): Nanos => plus(window.endNs, -spanOf(window) * AHEAD);

/** Stops, or catches up. Answers false where nothing is live. */
export function toggleFollowing(): boolean {
  if (!isRecording(useLive.getState())) return false;
  if (useFocus.getState().following) useFocus.setState({ following: false });
  else catchUpWithLive();
  return true;
}

let frame = 0;

/** Moves the window while it follows, as far as a pixel at a time: less than that nobody sees, and it costs a frame. */
function glide(): void {
  const { following, window: shown } = useFocus.getState();
  frame = following ? requestAnimationFrame(glide) : 0;
  if (!following) return;
  const next = upToNow(spanOf(shown));
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const pixel = spanOf(shown) / (globalThis.innerWidth * globalThis.devicePixelRatio);
  const moved = Math.abs(Number(next.endNs - shown.endNs));
  if (moved >= (isStill ? Math.max(STILL_STEP_NS, pixel) : pixel)) useFocus.setState({ window: next });
}

let isToFollow = false;

/** This window, loaded anew, went with the time before: it will as soon as it knows that a capture still runs. */
export function resumeFollowing(wasFollowing: boolean): void {
  isToFollow = wasFollowing;
}

/** Whether the window goes with the time, or will. */
export const goesWithTime = (): boolean => useFocus.getState().following || isToFollow;

/** From now on. */
export function listenFollowing(): void {
  useFocus.subscribe(({ following }) => {
    if (following && frame === 0) frame = requestAnimationFrame(glide);
  });
  useLive.subscribe(({ capture }) => {
    if (isToFollow && isRecording({ capture })) catchUpWithLive();
    isToFollow &&= capture === null;
  });
}
