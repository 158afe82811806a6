import { type PointerEvent, useRef } from 'react';
import type { Nanos } from '../../model/time.ts';
import { setBrush } from '../state/focus.ts';

/**
 * Shift+drag brushes a window, in every chart as on the timeline. U opens Differences for it.
 * @param timeUnder time under a pointer; null: none
 */
export function useTimeBrush(timeUnder: (event: PointerEvent<Element>) => Nanos | null) {
  const from = useRef<Nanos | null>(null);
  const isBrushing = useRef(false);
  return {
    onPointerDown: (event: PointerEvent<Element>) => {
      if (!event.shiftKey || event.button !== 0) return;
      from.current = timeUnder(event);
      if (from.current === null) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      isBrushing.current = true;
    },
    /** Returns whether the pointer is brushing. */
    brush: (event: PointerEvent<Element>): boolean => {
      const until = from.current === null ? null : timeUnder(event);
      if (until === null) return false;
      setBrush(from.current, until);
      return true;
    },
    onPointerUp: () => {
      from.current = null;
    },
    /** Whether this click only ends a brush; resets the flag. */
    ends: (): boolean => {
      const did = isBrushing.current;
      isBrushing.current = false;
      return did;
    },
  };
}
