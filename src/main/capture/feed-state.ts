import type { FeedSink } from '../../model/storage/feed.ts';

/** Of what comes from outside: as much as a line has room for. */
const LONGEST_REASON = 300;

/** What others say of themselves stays within its line: a line end could pretend to be the next one, an escape sequence would reach the terminal. */
export const withinLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_REASON);

/** A state and its reason are said when they change, not at every poll. */
export function reportChangesOnly(sink: FeedSink): FeedSink['reportState'] {
  let last = '';
  return (state, reason, silent_ms) => {
    const line = withinLine(reason);
    const next = `${state} ${line}`;
    if (next !== last) sink.reportState(state, line, silent_ms);
    last = next;
  };
}
