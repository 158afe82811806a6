import { useState } from 'react';
import { formatCount } from '../draw/text/format-value.ts';
import { messages } from './messages.ts';

/** A few screens: the layout of two million characters takes seconds. */
const MOST_SHOWN = 20_000;

/** A text of any length; the hidden part is counted and one click away. */
export function LongText({ text }: { readonly text: string }) {
  const [whole, setWhole] = useState(false);
  if (whole || text.length <= MOST_SHOWN) return text;
  return (
    <>
      {text.slice(0, MOST_SHOWN)}…{' '}
      <button type="button" className="link" onClick={() => setWhole(true)}>
        {messages.moreCharacters(formatCount(text.length - MOST_SHOWN))}
      </button>
    </>
  );
}
