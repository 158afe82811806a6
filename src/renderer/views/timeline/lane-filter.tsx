import { useEffect, useRef, useState } from 'react';
import { setSearch, useCase } from '../../state/case-state.ts';
import { messages } from './messages.ts';

const SETTLE_MS = 120;

/** Updates the lanes when the typing pauses. */
/** Filters the lanes. */
export function LaneFilter() {
  const search = useCase((state) => state.search);
  const [text, setText] = useState(search);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(search), [search]);
  const change = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setSearch(next.trim()), SETTLE_MS);
  };
  const enter = () => {
    clearTimeout(timer.current);
    setSearch(text.trim());
    setTimeout(() => document.querySelector<HTMLElement>('[data-testid="lane"]')?.focus(), SETTLE_MS);
  };
  return (
    <input
      type="search"
      data-search=""
      data-testid="search"
      aria-label={messages.lanes.filter}
      placeholder={messages.lanes.filterPlaceholder}
      value={text}
      spellCheck={false}
      onChange={(event) => change(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && enter()}
    />
  );
}
