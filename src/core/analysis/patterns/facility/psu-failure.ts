import { nanoseconds } from '../../../../model/time.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { feedEvents, feedsOf, supplyEvents } from './feeds.ts';
import { facilityPatterns } from './parameters.ts';

const near = (a: bigint, b: bigint): boolean =>
  (a > b ? a - b : b - a) <= nanoseconds(facilityPatterns.psuAloneSeconds);

export const psuFailure: Pattern = {
  id: 'psu-failure',
  detect: (facts) => {
    const failed = supplyEvents(facts).filter(({ type }) => type === 'psu_failure');
    const alone = failed.filter((event) => !isOfFeed(facts, event, failed));
    return episodes(alone).map(({ events, entities, start_ns, end_ns }) => {
      const [first] = events;
      const machine = facts.machineOf(first.entity, start_ns);
      const feeds = feedsOf(facts, first.entity, start_ns);
      const of = machine === first.entity ? '' : ` of ${facts.name(machine)}`;
      return {
        headline: `${facts.isKind(first.entity, 'psu') ? `Power supply ${first.device_id}${of}` : `A power supply of ${first.device_id}`} failed: ${first.message || 'no details reported'}.`,
        severity: 'high',
        start_ns,
        end_ns,
        entities: entities,
        evidence: eventLines(events),
        missing: lacks(
          facts.isMentioned(feeds),
          'power',
          `no data of the supplies of ${first.device_id}: a PSU failure cannot be distinguished from a lost input`,
        ),
      };
    });
  },
};

function isOfFeed(facts: CaseFacts, event: PatternEvent, failed: readonly PatternEvent[]): boolean {
  const feeds = new Set(feedsOf(facts, event.entity, event.time_ns));
  if (feedEvents(facts).some(({ entity, time_ns }) => feeds.has(entity) && near(time_ns, event.time_ns))) return true;
  const machine = facts.machineOf(event.entity, event.time_ns);
  return failed.some(
    (other) =>
      near(other.time_ns, event.time_ns) &&
      facts.machineOf(other.entity, other.time_ns) !== machine &&
      feedsOf(facts, other.entity, other.time_ns).some((feed) => feeds.has(feed)),
  );
}
