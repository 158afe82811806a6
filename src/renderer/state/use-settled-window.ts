import { useEffect, useState } from 'react';
import { useFocus } from './focus.ts';

const SETTLE_MS = 150;

/** The shared window; one that is still moving is not worth a question. */
export function useSettledWindow() {
  const moving = useFocus((focus) => focus.window);
  const [settled, setSettled] = useState(moving);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(moving), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [moving]);
  return settled;
}
