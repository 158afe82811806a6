import { useEffect, useState } from 'react';
import { type Focus, useFocus } from './focus.ts';

const SETTLE_MS = 150;

/** While the window follows what is live, it is asked about so often. */
const LIVE_MS = 2000;

/** The shared window for what asks at every change of it: one that goes with the time is told every other second. */
export function useSteadyWindow() {
  const [steady, setSteady] = useState(useFocus.getState().window);
  useEffect(() => {
    let at = 0;
    const take = ({ window, following }: Pick<Focus, 'window' | 'following'>) => {
      if (following && performance.now() - at < LIVE_MS) return;
      at = performance.now();
      setSteady(window);
    };
    take(useFocus.getState());
    return useFocus.subscribe(take);
  }, []);
  return steady;
}

/** The shared window; one that is still moving is not worth a question. */
export function useSettledWindow() {
  const moving = useSteadyWindow();
  const [settled, setSettled] = useState(moving);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(moving), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [moving]);
  return settled;
}
