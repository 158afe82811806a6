import { create } from 'zustand';
import { useFocus } from './focus.ts';
import { isRecording, useLive } from './live.ts';

interface LiveRefresh {
  /** Grows at most once a second while the window follows a capture. */
  readonly refreshCount: number;
  /** Of each table, and of `thing`: the turn in which rows of it came last. */
  readonly changed: Readonly<Record<string, number>>;
}

/**
 * When what is on screen is asked for again while a capture runs: in turns, for all of the window at once. A turn waits until
 * what the last one asked for is there, rests after it, and is not taken while nobody looks at now.
 */
export const useLiveRefresh = create<LiveRefresh>()(() => ({ refreshCount: 0, changed: {} }));

/** What an answer may depend on: tables whose rows come live, and things that were not known. */
export type Changing = 'span' | 'log' | 'point' | 'event' | 'edge' | 'reject' | 'thing';

/** The newest turn in which something came that an answer depends on. */
export const refreshCountOf = ({ changed }: LiveRefresh, by: readonly string[]): number =>
  Math.max(0, ...by.map((one) => changed[one] ?? 0));

const ALL: readonly Changing[] = ['span', 'log', 'point', 'event', 'edge', 'reject', 'thing'];
const LEAST_MS = 1000;
/** Where nothing comes the window still goes on. */
const IDLE_MS = 2000;
/** Rests of this many times what asking took: it must not become all that is done. */
const REST = 2;

const came = new Set<string>();
let runningQueries = 0;
let began = 0;
let restUntil = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

const isWatched = (): boolean =>
  useFocus.getState().following && isRecording(useLive.getState()) && document.visibilityState === 'visible';

/** Rows came live. @param of their tables; null: it may be anything */
export function liveRowsCame(of: readonly string[] | null): void {
  for (const one of of ?? ALL) came.add(one);
  arm();
}

/** While the window follows, to be called when a question begins; what it answers when it is through. */
export function beginLiveQuery(): () => void {
  if (!isWatched()) return () => undefined;
  runningQueries++;
  // By itself: what is asked between turns, as by a view that was just opened, may be long after the last one began.
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
  // Whoever is drawn has asked by then.
  timer = setTimeout(arm, LEAST_MS);
}

/** Turns are taken from now on. */
export function startLiveRefresh(): void {
  document.addEventListener('visibilitychange', arm);
  useFocus.subscribe((now, before) => {
    if (now.following !== before.following) arm();
  });
  useLive.subscribe((now, before) => {
    if (isRecording(now) !== isRecording(before)) arm();
  });
}
