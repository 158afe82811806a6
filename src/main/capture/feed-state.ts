import type { FeedSink } from '../../model/feed.ts';

/** Of what comes from outside: as much as a line has room for. */
const LONGEST_REASON = 300;

/**
 * A state and its reason are said when they change, not at every poll. What a device says of itself stays within its
 * line: a name with a line end in it could pretend to be the next one, an escape sequence would reach the terminal.
 */
export function sayingChanges(sink: FeedSink): FeedSink['say'] {
  let last = '';
  return (state, reason, silent_ms) => {
    const line = reason
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim()
      .slice(0, LONGEST_REASON);
    const next = `${state} ${line}`;
    if (next !== last) sink.say(state, line, silent_ms);
    last = next;
  };
}
