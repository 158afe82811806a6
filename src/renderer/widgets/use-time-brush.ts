import { type PointerEvent, useRef } from 'react';
import type { Nanos } from '../../model/time.ts';
import { setBrush } from '../state/focus.ts';

/**
 * Shift and drag brushes a time, as on the timeline: every chart has the same brush, and U asks what differs in it.
 * @param timeUnder of a pointer over the element
 */
export function useTimeBrush(timeUnder: (event: PointerEvent<Element>) => Nanos) {
  const from = useRef<Nanos | null>(null);
  const isBrushing = useRef(false);
  return {
    onPointerDown: (event: PointerEvent<Element>) => {
      if (!event.shiftKey || event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      from.current = timeUnder(event);
      isBrushing.current = true;
    },
    /** Answers whether the pointer brushes. */
    brush: (event: PointerEvent<Element>): boolean => {
      if (from.current === null) return false;
      setBrush(from.current, timeUnder(event));
      return true;
    },
    onPointerUp: () => {
      from.current = null;
    },
    /** Whether this click only ends a brush; asked once. */
    ends: (): boolean => {
      const did = isBrushing.current;
      isBrushing.current = false;
      return did;
    },
  };
}
