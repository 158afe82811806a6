import type { FeedSink } from '../../model/storage/feed.ts';

/** Longest text from outside that is shown in one line. */
const LONGEST_REASON = 300;

/**
 * Keeps text from outside in one line: a line break could fake the next line, an escape sequence could reach the
 * terminal.
 */
export const withinLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_REASON);

/** Reports a state and its reason only when they change, not at every poll. */
export function reportChangesOnly(sink: FeedSink): FeedSink['reportState'] {
  let last = '';
  return (state, reason, silent_ms) => {
    const line = withinLine(reason);
    const next = `${state} ${line}`;
    if (next !== last) sink.reportState(state, line, silent_ms);
    last = next;
  };
}
