import { visibleText } from '../../base/visible-text.ts';
import { openDetails } from '../state/actions.ts';
import { messages } from './messages.ts';

const MOST_REFS = 6;

/** A text that links to its first record, followed by links to some of the others. */
export function RecordLinks({ text, refs }: { readonly text: string; readonly refs: readonly [string, ...string[]] }) {
  const [first, ...others] = refs;
  return (
    <>
      <button type="button" className="link evidence-link" onClick={() => openDetails(first)}>
        {visibleText(text)}
      </button>
      {others.length > 0 ? <span className="muted"> {messages.records}</span> : null}
      {others.slice(0, MOST_REFS).map((ref, at) => (
        <button
          key={ref}
          type="button"
          className="link more-ref mono"
          title={ref}
          aria-label={messages.record(at + 2, ref)}
          onClick={() => openDetails(ref)}
        >
          {at + 2}
        </button>
      ))}
      {others.length > MOST_REFS ? (
        <span className="muted"> {messages.moreRecords(others.length - MOST_REFS)}</span>
      ) : null}
    </>
  );
}
