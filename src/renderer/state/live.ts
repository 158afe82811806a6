import { create } from 'zustand';
import type { LiveCaptureView, LiveFeed } from '../../model/contract/index.ts';
import { problemOf } from '../client/problem-of.ts';
import { client } from './client.ts';
import { reloadConclusions } from './conclusions.ts';
import { useFocus } from './focus.ts';
import { updateHostClock } from './host-clock.ts';
import { notify, showError } from './toasts.ts';

export interface LiveState {
  /** The capture of this host's windows, running or over; null: there was none. */
  readonly capture: LiveCaptureView | null;
  /** Grows whenever live rows came; answers of before hold still, only not to the end. */
  readonly rowsCame: number;
  /** What is to be decided before a capture ends; null: nothing is asked. */
  readonly prompt: { readonly what: string; readonly answer: (ends: boolean) => void } | null;
  /** The form of a plan is open. */
  readonly connecting: boolean;
}

export const useLive = create<LiveState>()(() => ({
  capture: null,
  rowsCame: 0,
  prompt: null,
  connecting: false,
}));

export const isRecording = ({ capture }: Pick<LiveState, 'capture'>): boolean =>
  capture !== null && capture.phase !== 'ended';

export const showConnecting = (connecting: boolean): void => useLive.setState({ connecting });

let following = false;

/** Keeps this window up to date with the capture, whichever window began it; begun anew when a connection was lost. */
export async function followCapture(): Promise<void> {
  if (following) return;
  following = true;
  try {
    for await (const { capture, now_ns } of client().stream('capture.state', {})) {
      updateHostClock(now_ns);
      apply(capture);
    }
  } catch {
    // A lost connection is told where it is noticed; the next answer comes over a new one.
  } finally {
    following = false;
  }
}

function apply(capture: LiveCaptureView | null): void {
  const before = useLive.getState().capture;
  useLive.setState({ capture });
  if (before && before.phase !== 'ended' && capture?.phase === 'ended') ended(capture);
  else if (capture?.phase === 'running') notifyDiskFull(before?.problem ?? null, capture.problem);
}

/** Something is in its way, and it goes on; or nothing is any more. */
function notifyDiskFull(before: LiveCaptureView['problem'], now: LiveCaptureView['problem']): void {
  if (now && !before) showError(plain(now));
  else if (before && !now) notify('there is room again: what was held is written');
}

function ended({ problem, case: name }: LiveCaptureView): void {
  useFocus.setState({ following: false });
  // What needs all of the rows was made when it ended.
  void reloadConclusions().catch((error: unknown) => showError(problemOf(error)));
  if (problem) showError({ ...plain(problem), message: `the capture ended: ${problem.message}` });
  else notify(`the capture into ${name} has ended`);
}

const plain = ({ code, message, hint }: NonNullable<LiveCaptureView['problem']>) =>
  hint === undefined ? { code, message } : { code, message, hint };

/** Ends it in order; what was recorded stays. */
export async function stopCapture(): Promise<void> {
  try {
    await client().call('capture.stop', {});
  } catch (error) {
    showError(problemOf(error));
  }
}

/** Before the case goes away: asks whether a capture that runs may end, and ends it. Answers whether to go on. */
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

/** `2 up, 1 down`: of the feeds that have told something. */
export function feedText(feeds: readonly LiveFeed[]): string {
  const up = feeds.filter(({ state }) => state === 'up').length;
  const down = feeds.filter(isDown).length;
  const waiting = feeds.length - up - down;
  return [`${up} up`, ...(down > 0 ? [`${down} down`] : []), ...(waiting > 0 ? [`${waiting} waiting`] : [])].join(', ');
}
export const someDown = (feeds: readonly LiveFeed[]): boolean => feeds.some(isDown);
