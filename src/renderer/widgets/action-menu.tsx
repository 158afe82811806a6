import { type KeyboardEvent, type MouseEvent, useEffect, useRef } from 'react';
import { type ActionTarget, closeActionMenu, openActionMenu, runByKey, useActionMenu } from '../state/action-menu.ts';
import { MenuList } from './menu.tsx';

type TargetOf = () => ActionTarget | null;

/** Right-click, the menu key, `.` and the actions' own keys, for one element. */
export const withActions = (targetOf: TargetOf) => ({
  onContextMenu: (event: MouseEvent<HTMLElement>) => openAt(event, targetOf),
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
    if (!actByKey(event, targetOf)) return;
    event.preventDefault();
    event.stopPropagation();
  },
});

export function openAt(event: MouseEvent<HTMLElement | SVGElement>, targetOf: TargetOf): void {
  // Whoever has marked text wants the window's own menu.
  const isMarked = window.getSelection()?.isCollapsed === false;
  const target = isMarked ? null : targetOf();
  if (!target) return;
  event.preventDefault();
  event.stopPropagation();
  const from = event.currentTarget;
  // The menu key has no place of its own.
  const byKey = event.clientX === 0 && event.clientY === 0;
  openActionMenu(target, byKey ? below(from) : { x: event.clientX, y: event.clientY }, focusable(from));
}

/** Answers whether the key was for the menu or one of its actions. Enter stays with the element itself. */
export function actByKey(event: KeyboardEvent<HTMLElement | SVGElement>, targetOf: TargetOf): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return false;
  if (event.key !== '.') return runByKey(targetOf(), event.key);
  const target = targetOf();
  const from = event.target as HTMLElement;
  if (target) openActionMenu(target, below(from), from);
  return target !== null;
}

/** Where a menu opens that was called from the keyboard. */
export function below(element: Element): { readonly x: number; readonly y: number } {
  const rect = element.getBoundingClientRect();
  return { x: rect.left + Math.min(24, rect.width / 2), y: rect.top + Math.min(24, rect.height) };
}

const focusable = (element: HTMLElement | SVGElement): HTMLElement | SVGElement =>
  element.tabIndex >= 0 ? element : (element.querySelector<HTMLElement>('button, [tabindex="0"]') ?? element);

/** The one menu of actions, wherever it was called. */
export function ActionMenu() {
  const open = useActionMenu((state) => state.open);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    shiftIntoView(box.current);
    const away = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) useActionMenu.setState({ open: null });
    };
    window.addEventListener('pointerdown', away, true);
    window.addEventListener('wheel', away, { passive: true });
    window.addEventListener('resize', closeActionMenu);
    return () => {
      window.removeEventListener('pointerdown', away, true);
      window.removeEventListener('wheel', away);
      window.removeEventListener('resize', closeActionMenu);
    };
  }, [open]);
  if (!open) return null;
  const { target, x, y } = open;
  return (
    <section
      className="menu action-menu"
      aria-label="Actions"
      ref={box}
      style={{ left: x, top: y }}
      data-testid="action-menu"
    >
      <p className="menu-label muted ellipsis">{target.label}</p>
      <MenuList
        key={`${x} ${y} ${target.label}`}
        label={`What can be done with ${target.label}`}
        items={target.actions}
        onDone={closeActionMenu}
      />
    </section>
  );
}

const EDGE_PX = 4;

function shiftIntoView(element: HTMLElement | null): void {
  if (!element) return;
  const { right, bottom } = element.getBoundingClientRect();
  const over = (end: number, limit: number): number => Math.max(0, end - limit + EDGE_PX);
  element.style.left = `${element.offsetLeft - over(right, window.innerWidth)}px`;
  element.style.top = `${element.offsetTop - over(bottom, window.innerHeight)}px`;
}
