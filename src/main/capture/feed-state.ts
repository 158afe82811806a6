import type { FeedSink, FeedState } from '../../model/feed.ts';

/** A state and its reason are said when they change, not at every poll. */
export function sayingChanges(sink: FeedSink): (state: FeedState, reason: string) => void {
  let last = '';
  return (state, reason) => {
    const next = `${state} ${reason}`;
    if (next !== last) sink.say(state, reason);
    last = next;
  };
}
