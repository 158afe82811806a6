import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  type MenuProps as AriaMenuProps,
  MenuButton,
  MenuProvider,
  useMenuContext,
} from '@ariakit/react';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { type Action, runByKey } from '../state/action-menu.ts';

export type MenuItem = Action;

export interface MenuProps {
  readonly label: string;
  readonly children: ReactNode;
  readonly testId?: string;
  readonly items: readonly MenuItem[];
  /** The edge that the menu shares with its button. */
  readonly side?: 'start' | 'end';
}

/** A button that opens a menu under itself. */
export function Menu({ label, children, items, testId, side = 'start' }: MenuProps) {
  return (
    <div className="menu-root">
      <MenuProvider focusLoop placement={`bottom-${side}`}>
        <MenuButton className="plain menu-button" title={label} data-testid={testId}>
          {children}
        </MenuButton>
        <MenuList label={label} items={items} />
      </MenuProvider>
    </div>
  );
}

interface MenuListProps extends AriaMenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
}

/** The items of a menu; the first one gets the focus, an item's shortcut runs it. */
export function MenuList({ label, items, className = '', children, ...props }: MenuListProps) {
  const menu = useMenuContext();
  const first = useRef<HTMLButtonElement>(null);
  const firstId = items.find(({ disabled }) => !disabled)?.id;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== 'Tab' && !runByKey({ label, actions: items }, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    menu?.hide();
  };
  return (
    <AriaMenu
      fixed
      unmountOnHide
      initialFocus={first}
      typeahead={false}
      arrowPadding={0}
      gutter={4}
      hideOnEscape={(event) => {
        // The menu is gone before the key reaches its own handlers, and the window would step out too.
        event.stopPropagation();
        return true;
      }}
      aria-label={label}
      className={`menu ${className}`}
      onKeyDown={onKeyDown}
      {...props}
    >
      {children}
      {items.map((item) => (
        <AriaMenuItem
          key={item.id}
          render={<button type="button" ref={item.id === firstId ? first : null} />}
          className="plain"
          disabled={item.disabled === true}
          aria-keyshortcuts={item.keys}
          focusOnHover={false}
          onClick={item.run}
        >
          <span>{item.title}</span>
          {item.note ? <span className="muted ellipsis menu-note">{item.note}</span> : null}
          {item.keys ? <kbd className="muted">{item.keys}</kbd> : null}
        </AriaMenuItem>
      ))}
    </AriaMenu>
  );
}
