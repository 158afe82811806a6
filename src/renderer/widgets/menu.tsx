import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { type Action, runByKey } from '../state/action-menu.ts';
import { usePopup } from './use-popup.ts';

export type MenuItem = Action;

export interface MenuProps {
  readonly label: string;
  readonly children: ReactNode;
  readonly testId?: string;
  readonly items: readonly MenuItem[];
}

export function Menu({ label, children, items, testId }: MenuProps) {
  const { root, open, setOpen, close } = usePopup();
  return (
    <div className="menu-root" ref={root}>
      <button
        type="button"
        className="plain menu-button"
        aria-haspopup="menu"
        aria-expanded={open}
        title={label}
        data-testid={testId}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open ? (
        <div className="menu">
          <MenuList label={label} items={items} onDone={close} />
        </div>
      ) : null}
    </div>
  );
}

interface MenuListProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Called before the selected item runs, and when the menu closes. */
  readonly onDone: () => void;
}

/** The items of an open menu, the first one focused; arrow keys move, an item's shortcut runs it. */
export function MenuList({ label, items, onDone }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector<HTMLElement>('[role="menuitem"]:not(:disabled)')?.focus(), []);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!moveInMenu(event, onDone) && !runByKey({ label, actions: closing(items, onDone) }, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div role="menu" tabIndex={-1} aria-label={label} className="menu-list" ref={list} onKeyDown={onKeyDown}>
      {closing(items, onDone).map((item) => (
        <button
          key={item.id}
          type="button"
          role="menuitem"
          className="plain"
          disabled={item.disabled}
          aria-keyshortcuts={item.keys}
          onClick={item.run}
        >
          <span>{item.title}</span>
          {item.note ? <span className="muted ellipsis menu-note">{item.note}</span> : null}
          {item.keys ? <kbd className="muted">{item.keys}</kbd> : null}
        </button>
      ))}
    </div>
  );
}

const closing = (items: readonly MenuItem[], onDone: () => void): readonly MenuItem[] =>
  items.map((item) => ({
    ...item,
    run: () => {
      onDone();
      item.run();
    },
  }));

/** Enter belongs to the focused button. Returns whether the key moved in the menu or closed it. */
function moveInMenu(event: KeyboardEvent<HTMLDivElement>, close: () => void): boolean {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  switch (event.key) {
    case 'Escape':
    case 'Tab':
      close();
      return true;
    case 'ArrowDown':
      items[(at + 1) % items.length]?.focus();
      return true;
    case 'ArrowUp':
      items[(at - 1 + items.length) % items.length]?.focus();
      return true;
    case 'Home':
      items[0]?.focus();
      return true;
    case 'End':
      items.at(-1)?.focus();
      return true;
    default:
      return false;
  }
}
