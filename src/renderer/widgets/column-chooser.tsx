import { type KeyboardEvent, useEffect, useRef } from 'react';
import { messages } from './messages.ts';
import { usePopup } from './use-popup.ts';

interface ColumnChooserProps {
  readonly columns: readonly { readonly id: string; readonly title: string }[];
  readonly hidden: readonly string[];
  readonly onChange: (hidden: readonly string[]) => void;
}

/** Selects the columns of a table; one column is always shown. */
export function ColumnChooser({ columns, hidden, onChange }: ColumnChooserProps) {
  const { root, open, setOpen, close } = usePopup();
  const list = useRef<HTMLFieldSetElement>(null);
  const shown = columns.filter(({ id }) => !hidden.includes(id));
  useEffect(() => {
    if (open) list.current?.querySelector('input')?.focus();
  }, [open]);
  return (
    <div className="menu-root" ref={root}>
      <button
        type="button"
        className="plain"
        aria-expanded={open}
        title={messages.columnsTitle}
        onClick={() => setOpen(!open)}
      >
        {messages.columns(shown.length, columns.length)}
      </button>
      {open ? (
        <fieldset
          className="menu column-choices"
          aria-label={messages.columnsShown}
          ref={list}
          onKeyDown={(event) => moveAmong(event, close)}
        >
          {columns.map(({ id, title }) => {
            const isShown = !hidden.includes(id);
            return (
              <label key={id}>
                <input
                  type="checkbox"
                  checked={isShown}
                  disabled={isShown && shown.length === 1}
                  onChange={() => onChange(isShown ? [...hidden, id] : hidden.filter((each) => each !== id))}
                />
                {title}
              </label>
            );
          })}
          <button type="button" className="plain" disabled={hidden.length === 0} onClick={() => onChange([])}>
            {messages.showAllColumns}
          </button>
        </fieldset>
      ) : null}
    </div>
  );
}

function moveAmong(event: KeyboardEvent<HTMLFieldSetElement>, leave: () => void): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (event.key === 'Escape') leave();
  else if (by !== 0) {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('input, button')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + by + items.length) % items.length]?.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}
