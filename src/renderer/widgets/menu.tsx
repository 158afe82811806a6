import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';

export interface MenuItem {
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly disabled?: boolean;
  readonly run: () => void;
}

export interface MenuProps {
  readonly label: string;
  readonly children: ReactNode;
  readonly testId?: string;
  readonly items: readonly MenuItem[];
}

export function Menu({ label, children, items, testId }: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    root.current?.querySelector<HTMLElement>('[role="menuitem"]:not(:disabled)')?.focus();
    const away = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    window.addEventListener('pointerdown', away);
    return () => window.removeEventListener('pointerdown', away);
  }, [open]);
  const close = () => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  return (
    <div className="menu-root" ref={root}>
      <button
        type="button"
        className="plain menu-button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={label}
        title={label}
        data-testid={testId}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open ? <MenuList label={label} items={items} onDone={close} /> : null}
    </div>
  );
}

function MenuList({ label, items, onDone }: { label: string; items: readonly MenuItem[]; onDone: () => void }) {
  return (
    <div role="menu" tabIndex={-1} aria-label={label} className="menu" onKeyDown={(event) => moveInMenu(event, onDone)}>
      {items.map((item) => (
        <button
          key={item.id}
          type="button"
          role="menuitem"
          className="plain"
          disabled={item.disabled}
          onClick={() => {
            onDone();
            item.run();
          }}
        >
          <span>{item.title}</span>
          {item.note ? <span className="muted">{item.note}</span> : null}
        </button>
      ))}
    </div>
  );
}

function moveInMenu(event: KeyboardEvent<HTMLDivElement>, close: () => void): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (event.key === 'Escape' || event.key === 'Tab') close();
  else if (event.key === 'ArrowDown') items[(at + 1) % items.length]?.focus();
  else if (event.key === 'ArrowUp') items[(at - 1 + items.length) % items.length]?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
