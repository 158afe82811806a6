import { create } from 'zustand';

/** One action of a menu. */
export interface Action {
  readonly id: string;
  readonly title: string;
  /** Its shortcut, which also works while the menu is closed and its target is focused: `Z`, `Enter`. */
  readonly keys?: string;
  readonly note?: string;
  readonly disabled?: boolean;
  readonly run: () => void;
}

/** An object on screen with its actions; `label` names it. */
export interface ActionTarget {
  readonly label: string;
  readonly actions: readonly Action[];
}

export interface OpenedMenu {
  readonly target: ActionTarget;
  /** Pixels of the window. */
  readonly x: number;
  readonly y: number;
  /** Gets the focus back. */
  readonly from: HTMLElement | SVGElement | null;
}

export const useActionMenu = create<{ readonly open: OpenedMenu | null }>()(() => ({ open: null }));

export function openActionMenu(
  target: ActionTarget,
  at: { readonly x: number; readonly y: number },
  from: HTMLElement | SVGElement | null,
) {
  useActionMenu.setState({ open: { target, x: at.x, y: at.y, from } });
}

export const closeActionMenu = (): void => useActionMenu.setState({ open: null });

/** Runs the action of a letter; returns whether there was one. Each element handles Enter itself. */
export function runByKey(target: ActionTarget | null, key: string): boolean {
  if (key.length !== 1) return false;
  const action = target?.actions.find(({ keys, disabled }) => keys === key.toUpperCase() && !disabled);
  action?.run();
  return action !== undefined;
}
