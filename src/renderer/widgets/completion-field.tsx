import { Combobox, ComboboxItem, ComboboxPopover, type ComboboxStore, useComboboxStore } from '@ariakit/react';
import { type RefObject, useRef, useState } from 'react';

/** A choice of a completion, and the text that it puts in place of what was typed. */
export interface Completion {
  readonly label: string;
  readonly text: string;
  readonly note: string;
}

/** What may stand at a caret, in place of the text from `from` to `to`. */
export interface Completions {
  readonly from: number;
  readonly to: number;
  readonly choices: readonly Completion[];
}

interface CompletionFieldProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** A hook: what may stand at the caret; nothing needs to be read while the list is closed. */
  readonly useCompletions: (text: string, caret: number, isOpen: boolean) => Completions;
  readonly label: string;
  readonly listLabel: string;
  readonly maxLength: number;
  readonly placeholder: string;
  readonly isInvalid: boolean;
  readonly describedBy: string;
  readonly testId: string;
}

/**
 * A line of text with a list of what may stand at the caret: arrow keys choose, Enter takes the chosen; where none is chosen it goes on
 * to the form. Ctrl+Space opens the list, Escape closes it.
 */
export function CompletionField({ value, onChange, useCompletions, listLabel, ...props }: CompletionFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState(0);
  const [open, setOpen] = useState(false);
  const { from, to, choices } = useCompletions(value, Math.min(caret, value.length), open);
  const store = useComboboxStore({ open: open && choices.length > 0, setOpen });
  const follow = () => setCaret(input.current?.selectionStart ?? 0);
  const insert = ({ text }: Completion) => {
    const changed = `${value.slice(0, from)}${text}${value.slice(to)}`.slice(0, props.maxLength);
    onChange(changed);
    setCaret(from + text.length);
    // After the text is in the input: the caret goes behind what was put in.
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(from + text.length, from + text.length);
      setOpen(true);
    });
  };
  return (
    <>
      <Combobox
        ref={input}
        store={store}
        className="mono"
        value={value}
        maxLength={props.maxLength}
        aria-label={props.label}
        aria-invalid={props.isInvalid}
        aria-describedby={props.describedBy}
        placeholder={props.placeholder}
        spellCheck={false}
        autoComplete="off"
        data-testid={props.testId}
        showOnClick={false}
        showOnChange={false}
        showOnKeyPress={false}
        setValueOnChange={false}
        setValueOnClick={false}
        onChange={(event) => {
          onChange(event.target.value);
          setCaret(event.target.selectionStart ?? event.target.value.length);
          setOpen(true);
        }}
        onSelect={follow}
        onKeyDown={(event) => {
          const opens = event.key === ' ' && event.ctrlKey;
          const submits = event.key === 'Enter' && store.getState().activeId == null;
          if (!opens && !submits) return;
          // While its list is open, the library keeps Enter from the form.
          event.preventDefault();
          if (opens) follow();
          else input.current?.form?.requestSubmit();
          setOpen(opens);
        }}
      />
      <Choices
        store={store}
        label={listLabel}
        choices={choices}
        onChoose={insert}
        anchor={() => anchorOf(input, from)}
      />
    </>
  );
}

interface ChoicesProps {
  readonly store: ComboboxStore;
  readonly label: string;
  readonly choices: readonly Completion[];
  readonly onChoose: (choice: Completion) => void;
  readonly anchor: () => ReturnType<typeof anchorOf>;
}

function Choices({ store, label, choices, onChoose, anchor }: ChoicesProps) {
  return (
    <ComboboxPopover
      store={store}
      unmountOnHide
      gutter={4}
      className="menu completion-list"
      aria-label={label}
      getAnchorRect={anchor}
    >
      {choices.map((choice) => (
        <ComboboxItem
          key={choice.label}
          className="completion"
          focusOnHover
          setValueOnClick={false}
          hideOnClick={false}
          onClick={() => onChoose(choice)}
        >
          <span className="mono ellipsis">{choice.label}</span>
          <span className="muted">{choice.note}</span>
        </ComboboxItem>
      ))}
    </ComboboxPopover>
  );
}

/** Of the mono font at its size, CSS pixels. */
const LETTER = 7.25;
const PAD = 8;
const LEAST_WIDTH = 200;

/** Below the letter where the choice begins. */
function anchorOf({ current }: RefObject<HTMLInputElement | null>, from: number) {
  if (!current) return null;
  const { x, y, width, height } = current.getBoundingClientRect();
  const left = Math.max(0, Math.min(PAD + from * LETTER - current.scrollLeft, width - LEAST_WIDTH));
  return { x: x + left, y, width: 1, height };
}
