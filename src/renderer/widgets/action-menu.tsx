import { type KeyboardEvent, type MouseEvent, useEffect, useRef } from 'react';
import { type ActionTarget, closeActionMenu, openActionMenu, runByKey, useActionMenu } from '../state/action-menu.ts';
import { MenuList } from './menu.tsx';
import { messages } from './messages.ts';

type TargetOf = () => ActionTarget | null;

/** Event handlers for one element: right-click, the menu key, `.`, and the shortcuts of its actions. */
export const withActions = (targetOf: TargetOf) => ({
  onContextMenu: (event: MouseEvent<HTMLElement>) => openAt(event, targetOf),
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
    if (!actByKey(event, targetOf)) return;
    event.preventDefault();
    event.stopPropagation();
  },
});

export function openAt(event: MouseEvent<HTMLElement | SVGElement>, targetOf: TargetOf): void {
  // With marked text, the system's menu is more useful.
  const isMarked = window.getSelection()?.isCollapsed === false;
  const target = isMarked ? null : targetOf();
  if (!target) return;
  event.preventDefault();
  event.stopPropagation();
  const from = event.currentTarget;
  // The menu key has no position.
  const byKey = event.clientX === 0 && event.clientY === 0;
  openActionMenu(target, byKey ? below(from) : { x: event.clientX, y: event.clientY }, focusable(from));
}

/** Returns whether the key opened the menu or ran an action. Enter stays with the element itself. */
export function actByKey(event: KeyboardEvent<HTMLElement | SVGElement>, targetOf: TargetOf): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return false;
  if (event.key !== '.') return runByKey(targetOf(), event.key);
  const target = targetOf();
  const from = event.target as HTMLElement;
  if (target) openActionMenu(target, below(from), from);
  return target !== null;
}

/** Menu position for a keyboard user. */
export function below(element: Element): { readonly x: number; readonly y: number } {
  const rect = element.getBoundingClientRect();
  return { x: rect.left + Math.min(24, rect.width / 2), y: rect.top + Math.min(24, rect.height) };
}

const focusable = (element: HTMLElement | SVGElement): HTMLElement | SVGElement =>
  element.tabIndex >= 0 ? element : (element.querySelector<HTMLElement>('button, [tabindex="0"]') ?? element);

/** The single action menu of the window. */
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
      aria-label={messages.actions}
      ref={box}
      style={{ left: x, top: y }}
      data-testid="action-menu"
    >
      <p className="menu-label muted ellipsis">{target.label}</p>
      <MenuList
        key={`${x} ${y} ${target.label}`}
        label={messages.actionsFor(target.label)}
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
