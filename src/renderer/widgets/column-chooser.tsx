import {
  Composite,
  CompositeItem,
  CompositeProvider,
  Popover,
  PopoverDisclosure,
  PopoverProvider,
} from '@ariakit/react';
import { messages } from './messages.ts';

interface ColumnChooserProps {
  readonly columns: readonly { readonly id: string; readonly title: string }[];
  readonly hidden: readonly string[];
  readonly onChange: (hidden: readonly string[]) => void;
}

/** Selects the columns of a table; one column is always shown. */
export function ColumnChooser({ columns, hidden, onChange }: ColumnChooserProps) {
  const shown = columns.filter(({ id }) => !hidden.includes(id));
  return (
    <PopoverProvider placement="bottom-end">
      <PopoverDisclosure className="plain" title={messages.columnsTitle}>
        {messages.columns(shown.length, columns.length)}
      </PopoverDisclosure>
      <CompositeProvider orientation="vertical" focusLoop>
        <Popover
          fixed
          unmountOnHide
          render={<Composite render={<fieldset />} />}
          role="group"
          className="menu column-choices"
          aria-label={messages.columnsShown}
        >
          {columns.map(({ id, title }) => {
            const isShown = !hidden.includes(id);
            return (
              // biome-ignore lint/a11y/noLabelWithoutControl: the item renders the input
              <label key={id}>
                <CompositeItem
                  tabbable
                  disabled={isShown && shown.length === 1}
                  render={
                    <input
                      type="checkbox"
                      checked={isShown}
                      onChange={() => onChange(isShown ? [...hidden, id] : hidden.filter((each) => each !== id))}
                    />
                  }
                />
                {title}
              </label>
            );
          })}
          <CompositeItem tabbable className="plain" disabled={hidden.length === 0} onClick={() => onChange([])}>
            {messages.showAllColumns}
          </CompositeItem>
        </Popover>
      </CompositeProvider>
    </PopoverProvider>
  );
}
