import { create } from 'zustand';
import { useFocus } from './focus.ts';
import { isRecording, useLive } from './live.ts';

interface LiveRefresh {
  /** Increases at most once a second while the window follows a capture. */
  readonly refreshCount: number;
  /** By table, and for entities: the last refresh with new rows. */
  readonly changed: Readonly<Record<string, number>>;
}

/**
 * Refreshes of the window during a capture, for all views at once. A refresh waits for the queries of the last one, then pauses,
 * and does not happen while the window does not follow.
 */
export const useLiveRefresh = create<LiveRefresh>()(() => ({ refreshCount: 0, changed: {} }));

/** What a query depends on: tables with live rows, and new entities. */
export type Changing = 'span' | 'log' | 'point' | 'event' | 'edge' | 'reject' | 'entity';

/** The newest refresh that changed what a query depends on. */
export const refreshCountOf = ({ changed }: LiveRefresh, by: readonly string[]): number =>
  Math.max(0, ...by.map((one) => changed[one] ?? 0));

const ALL: readonly Changing[] = ['span', 'log', 'point', 'event', 'edge', 'reject', 'entity'];
const LEAST_MS = 1000;
/** Refresh interval without new rows, because the window still moves. */
const IDLE_MS = 2000;
/** Pause after a refresh, in multiples of the query time, so that queries do not take all of it. */
const REST = 2;

const came = new Set<string>();
let runningQueries = 0;
let began = 0;
let restUntil = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

const isWatched = (): boolean =>
  useFocus.getState().following && isRecording(useLive.getState()) && document.visibilityState === 'visible';

/** Live rows arrived. @param of their tables; null: any */
export function liveRowsCame(of: readonly string[] | null): void {
  for (const one of of ?? ALL) came.add(one);
  arm();
}

/** Call when a query starts while the window follows; returns a function to call when it ends. */
export function beginLiveQuery(): () => void {
  if (!isWatched()) return () => undefined;
  runningQueries++;
  // Measured by itself: a query between refreshes, for example of a new view, may start long after the last one.
  const from = performance.now();
  return () => {
    runningQueries--;
    const now = performance.now();
    restUntil = Math.max(restUntil, now + REST * (now - from));
    arm();
  };
}

function arm(): void {
  clearTimeout(timer);
  if (runningQueries > 0 || !isWatched()) return;
  const due = came.size > 0 ? restUntil : Math.max(restUntil, began + IDLE_MS);
  timer = setTimeout(take, Math.max(0, due - performance.now()));
}

function take(): void {
  if (runningQueries > 0 || !isWatched()) return;
  began = performance.now();
  restUntil = began + LEAST_MS;
  useLiveRefresh.setState(({ refreshCount, changed }) => {
    const now = Object.fromEntries([...came].map((one) => [one, refreshCount + 1]));
    return { refreshCount: refreshCount + 1, changed: { ...changed, ...now } };
  });
  came.clear();
  // By then all visible views have started their queries.
  timer = setTimeout(arm, LEAST_MS);
}

/** Starts the refreshes. */
export function startLiveRefresh(): void {
  document.addEventListener('visibilitychange', arm);
  useFocus.subscribe((now, before) => {
    if (now.following !== before.following) arm();
  });
  useLive.subscribe((now, before) => {
    if (isRecording(now) !== isRecording(before)) arm();
  });
}
