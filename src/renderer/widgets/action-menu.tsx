import { MenuProvider } from '@ariakit/react';
import { type KeyboardEvent, type MouseEvent, useEffect } from 'react';
import {
  type ActionTarget,
  closeActionMenu,
  type OpenedMenu,
  openActionMenu,
  runByKey,
  useActionMenu,
} from '../state/action-menu.ts';
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
  if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1 || isTyping(event.target)) return false;
  if (event.key !== '.') return runByKey(targetOf(), event.key);
  const target = targetOf();
  const from = event.target as HTMLElement;
  if (target) openActionMenu(target, below(from), from);
  return target !== null;
}

/** Letters that are typed into a field are text, not shortcuts of what the field is in. */
const isTyping = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable="true"]');

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
  return open ? <OpenMenu key={`${open.x} ${open.y} ${open.target.label}`} {...open} /> : null;
}

function OpenMenu({ target, x, y, from }: OpenedMenu) {
  useEffect(() => {
    window.addEventListener('wheel', closeActionMenu, { passive: true });
    return () => window.removeEventListener('wheel', closeActionMenu);
  }, []);
  return (
    <MenuProvider open setOpen={(open) => !open && closeActionMenu()} focusLoop>
      <MenuList
        label={messages.actionsFor(target.label)}
        items={target.actions}
        className="action-menu"
        data-testid="action-menu"
        wrapperProps={region}
        getAnchorRect={() => ({ x, y })}
        // Beside the pointer, or over it where the window ends.
        flip={false}
        overlap
        gutter={0}
        overflowPadding={4}
        onWheel={(event) => event.stopPropagation()}
        autoFocusOnHide={() => {
          if (from?.isConnected) from.focus();
          return false;
        }}
      >
        <p className="menu-label muted ellipsis" aria-hidden="true">
          {target.label}
        </p>
      </MenuList>
    </MenuProvider>
  );
}

const region = { role: 'region', 'aria-label': messages.actions } as const;
