import { type PointerEvent, useRef } from 'react';
import type { Nanos } from '../../model/time.ts';
import { setBrush } from '../state/focus.ts';

/**
 * Shift and drag brushes a time, as on the timeline: every chart has the same brush, and U asks what differs in it.
 * @param timeUnder of a pointer over the element; null: there is no time
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
    /** Answers whether the pointer brushes. */
    brush: (event: PointerEvent<Element>): boolean => {
      const until = from.current === null ? null : timeUnder(event);
      if (until === null) return false;
      setBrush(from.current, until);
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
