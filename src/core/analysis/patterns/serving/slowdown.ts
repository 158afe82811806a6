import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import type { Episode } from '../episodes.ts';
import { lengthText, secondsBetween } from '../finding-text.ts';

/** End of the last slowdown of an episode; null if not recorded for every entity. */
export function endOfSlowdown(facts: CaseFacts, { entities, end_ns }: Episode): bigint | null {
  const ends = entities.map((entity) =>
    facts.of('throttle_ended', 'power_cap_removed').find((event) => event.entity === entity && event.time_ns > end_ns),
  );
  const known = ends.filter((event): event is PatternEvent => event !== undefined);
  if (known.length < entities.length) return null;
  return known.reduce((last, { time_ns }) => (time_ns > last ? time_ns : last), end_ns);
}

/** `for 4 min`, or that no end was recorded. */
export const howLong = (start_ns: bigint, end_ns: bigint | null): string =>
  end_ns === null ? 'with no end recorded' : `for ${lengthText(secondsBetween(start_ns, end_ns))}`;

/** Whether it began before the recording, so that its start is unknown. */
export const isOld = ({ attributes }: PatternEvent): boolean => attributes['began_before_recording'] === true;
