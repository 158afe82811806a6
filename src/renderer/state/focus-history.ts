import type { Nanos } from '../../model/time.ts';

export interface TimeWindow {
  readonly startNs: Nanos;
  readonly endNs: Nanos;
}

/** What "back" restores: the focus without the playhead, which moves too often. */
export interface Place {
  readonly window: TimeWindow;
  readonly selected: string | null;
  readonly incident: string | null;
  readonly entities: readonly string[];
  /** The view in the middle; left out: whatever is shown. */
  readonly view?: string;
}

export interface FocusHistory {
  readonly past: readonly Place[];
  readonly future: readonly Place[];
  /** Gesture that made the present place; the same gesture soon after replaces it instead of adding a place. */
  readonly gesture: string;
  readonly at: number;
}

const LONGEST_GESTURE_MS = 700;
const MOST_PLACES = 100;

export const emptyHistory: FocusHistory = { past: [], future: [], gesture: '', at: Number.NEGATIVE_INFINITY };

/** Remembers `present` before it is left; `now` in milliseconds. */
export function remember(history: FocusHistory, present: Place, gesture: string, now: number): FocusHistory {
  if (gesture !== '' && gesture === history.gesture && now - history.at < LONGEST_GESTURE_MS) {
    return { ...history, future: [], at: now };
  }
  return { past: [...history.past, present].slice(-MOST_PLACES), future: [], gesture, at: now };
}

export interface Step {
  readonly place: Place;
  readonly history: FocusHistory;
}

export function stepBack(history: FocusHistory, present: Place): Step | null {
  const place = history.past.at(-1);
  if (!place) return null;
  return { place, history: { ...emptyHistory, past: history.past.slice(0, -1), future: [present, ...history.future] } };
}

export function stepForward(history: FocusHistory, present: Place): Step | null {
  const place = history.future[0];
  if (!place) return null;
  return { place, history: { ...emptyHistory, past: [...history.past, present], future: history.future.slice(1) } };
}
