import { create } from 'zustand';

interface Hovered {
  readonly x: number;
  readonly y: number;
  readonly lines: readonly string[];
}

/** What is under the mouse, in a store of its own: it changes with every move and only the tooltip uses it. */
const useHovered = create<{ readonly hover: Hovered | null }>()(() => ({ hover: null }));

export const useHover = (): Hovered | null => useHovered((state) => state.hover);
export const setHover = (hover: Hovered | null): void => useHovered.setState({ hover });
