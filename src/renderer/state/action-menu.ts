import { create } from 'zustand';

/** One thing that can be done with what the menu was opened on. */
export interface Action {
  readonly id: string;
  readonly title: string;
  /** The key that does it, also while the menu is closed and its target has the focus: `Z`, `Enter`. */
  readonly keys?: string;
  readonly note?: string;
  readonly disabled?: boolean;
  readonly run: () => void;
}

/** What can be done with one thing on screen; `label` says which. */
export interface ActionTarget {
  readonly label: string;
  readonly actions: readonly Action[];
}

interface OpenMenu {
  readonly target: ActionTarget;
  /** Pixels of the window. */
  readonly x: number;
  readonly y: number;
  /** Gets the focus back. */
  readonly from: HTMLElement | SVGElement | null;
}

export const useActionMenu = create<{ readonly open: OpenMenu | null }>()(() => ({ open: null }));

export function openActionMenu(
  target: ActionTarget,
  at: { readonly x: number; readonly y: number },
  from: HTMLElement | SVGElement | null,
) {
  useActionMenu.setState({ open: { target, x: at.x, y: at.y, from } });
}

export function closeActionMenu(): void {
  const { open } = useActionMenu.getState();
  useActionMenu.setState({ open: null });
  if (open?.from?.isConnected) open.from.focus();
}

/** Does what a letter stands for among the actions; answers whether it stood for any. Enter is each element's own. */
export function runByKey(target: ActionTarget | null, key: string): boolean {
  if (key.length !== 1) return false;
  const action = target?.actions.find(({ keys, disabled }) => keys === key.toUpperCase() && !disabled);
  action?.run();
  return action !== undefined;
}
