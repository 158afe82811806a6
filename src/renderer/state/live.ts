import { create } from 'zustand';
import type { LiveCaptureView, LiveFeed, Output } from '../../model/contract/index.ts';
import { problemOf } from '../client/problem-of.ts';
import { client } from './client.ts';
import { reloadConclusions } from './conclusions.ts';
import { useFocus } from './focus.ts';
import { updateHostClock } from './host-clock.ts';
import { messages } from './messages.ts';
import { notify, showError } from './toasts.ts';

export interface LiveState {
  /** The capture of this host, running or ended; null: none. */
  readonly capture: LiveCaptureView | null;
  /** Increases with live rows; earlier responses stay valid except at their end. */
  readonly rowsCame: number;
  /** A confirmation before a capture ends; null: none. */
  readonly prompt: { readonly what: string; readonly answer: (ends: boolean) => void } | null;
  /** Whether the plan form is open. */
  readonly connecting: boolean;
  /** The window follows the capture as soon as it knows it. */
  readonly willFollow: boolean;
  /** The states of the feeds when outages were loaded last, and how often they are still to be loaded for them. */
  readonly outages: { readonly states: string; readonly loadsLeft: number };
}

export const useLive = create<LiveState>()(() => ({
  capture: null,
  rowsCame: 0,
  prompt: null,
  connecting: false,
  willFollow: false,
  outages: { states: '', loadsLeft: 0 },
}));

export const isRecording = ({ capture }: Pick<LiveState, 'capture'>): boolean =>
  capture !== null && capture.phase !== 'ended';

export const showConnecting = (connecting: boolean): void => useLive.setState({ connecting });

/** Keeps this window up to date with the capture, whichever window started it. */
export function takeCapture({ capture, now_ns }: Output<'capture.state'>): void {
  updateHostClock(now_ns);
  const before = useLive.getState().capture;
  useLive.setState({ capture });
  if (before && before.phase !== 'ended' && capture?.phase === 'ended') ended(capture);
  else if (capture?.phase === 'running') notifyDiskFull(before?.problem ?? null, capture.problem);
}

/** Shows a problem that the capture can continue with, and its end. */
function notifyDiskFull(before: LiveCaptureView['problem'], now: LiveCaptureView['problem']): void {
  if (now && !before) showError(plain(now));
  else if (before && !now) notify(messages.spaceAgain);
}

function ended({ problem, case: name }: LiveCaptureView): void {
  useFocus.setState({ following: false });
  // Some conclusions are made from all rows when the capture ends.
  void reloadConclusions().catch((error: unknown) => showError(problemOf(error)));
  if (problem) showError({ ...plain(problem), message: messages.captureFailed(problem.message) });
  else notify(messages.captureEnded(name));
}

const plain = ({ code, message, hint }: NonNullable<LiveCaptureView['problem']>) =>
  hint === undefined ? { code, message } : { code, message, hint };

/** Ends the capture; the recorded data stays. */
export async function stopCapture(): Promise<void> {
  try {
    await client().call('capture.stop', {});
  } catch (error) {
    showError(problemOf(error));
  }
}

/** Before the case closes: confirms the end of a running capture and ends it. Returns whether to continue. */
export async function mayEndCapture(what: string): Promise<boolean> {
  if (!isRecording(useLive.getState())) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  useLive.setState({ prompt: { what, answer: resolve } });
  const ends = await promise;
  useLive.setState({ prompt: null });
  if (ends) await stopCapture();
  return ends;
}

const isDown = ({ state }: LiveFeed): boolean => state === 'down';

/** `2 up, 1 down, 1 waiting`: counts of feeds by state. */
export function feedText(feeds: readonly LiveFeed[]): string {
  const up = feeds.filter(({ state }) => state === 'up').length;
  const down = feeds.filter(isDown).length;
  const waiting = feeds.length - up - down;
  return [
    messages.up(up),
    ...(down > 0 ? [messages.down(down)] : []),
    ...(waiting > 0 ? [messages.waiting(waiting)] : []),
  ].join(', ');
}
export const someDown = (feeds: readonly LiveFeed[]): boolean => feeds.some(isDown);
