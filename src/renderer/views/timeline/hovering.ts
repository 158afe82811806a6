import { useSyncExternalStore } from 'react';
import type { Hover } from './hover.ts';

let hovered: Hover | null = null;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What is under the mouse, in its own store: it changes with every move and only the tooltip uses it. */
export const useHover = (): Hover | null => useSyncExternalStore(subscribe, () => hovered);

export function setHover(hover: Hover | null): void {
  if (hover === hovered) return;
  hovered = hover;
  for (const listener of listeners) listener();
}
