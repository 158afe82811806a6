import { useEffect, useState } from 'react';
import { type Focus, useFocus } from './focus.ts';
import { useLiveRefresh } from './live-refresh.ts';
import { spanOf } from './time-window.ts';

const SETTLE_MS = 150;

type Stretch = Pick<Focus, 'window' | 'bounds'>;

/** The shared window for queries: while it follows the present, it changes once per refresh. */
export function useSteadyStretch(): Stretch {
  const [steady, setSteady] = useState<Stretch>(useFocus.getState);
  useEffect(() => {
    let lastFocus = useFocus.getState();
    const take = (focus: Focus) => {
      lastFocus = focus;
      setSteady((before) => {
        const { window, bounds } = focus;
        return before.window === window && before.bounds === bounds ? before : { window, bounds };
      });
    };
    const goesOn = (focus: Focus) =>
      focus.following && lastFocus.following && spanOf(focus.window) === spanOf(lastFocus.window);
    take(lastFocus);
    const undo = [
      useFocus.subscribe((focus) => {
        if (!goesOn(focus)) take(focus);
      }),
      useLiveRefresh.subscribe(() => take(useFocus.getState())),
    ];
    return () => {
      for (const each of undo) each();
    };
  }, []);
  return steady;
}

/** The shared window, as {@link useSteadyStretch}. */
export const useSteadyWindow = () => useSteadyStretch().window;

/** The shared window when it has stopped moving. */
export function useSettledWindow() {
  const moving = useSteadyWindow();
  const [settled, setSettled] = useState(moving);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(moving), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [moving]);
  return settled;
}
