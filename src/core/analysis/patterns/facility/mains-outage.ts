import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { eventLines, toEpisode } from '../episodes.ts';
import { count, lengthText, nameList, secondsBetween } from '../finding-text.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { facilityPatterns } from './parameters.ts';

export const mainsOutage: Pattern = {
  id: 'mains-outage',
  detect: (facts) =>
    outages(facts).map((events) => {
      const { entities, start_ns, end_ns } = toEpisode(events);
      const back = entities.flatMap((ups) => returnOf(facts, ups, start_ns) ?? []);
      const weak = events.filter(({ type }) => type === 'ups_battery_low');
      const last = back.reduce((latest, { time_ns }) => (time_ns > latest ? time_ns : latest), end_ns);
      const until =
        back.length < entities.length
          ? 'with no recorded return to mains'
          : `for ${lengthText(secondsBetween(start_ns, last))}`;
      const names = (keys: readonly number[]) => nameList(keys.map((key) => facts.name(key)));
      const battery =
        weak.length > 0 ? `; battery low, depleted or faulty on ${names(weak.map(({ entity }) => entity))}` : '';
      return {
        headline: `${count(entities.length, 'UPS', 'UPS')} (${names(entities)}) on battery ${until}${battery}.`,
        severity: weak.length > 0 ? 'critical' : 'high',
        start_ns,
        end_ns: last,
        entities: entities,
        evidence: [...eventLines(events), ...eventLines(back)],
        missing: lacks(
          facts.isMeasured(entities, ['hw.battery.charge', 'hw.battery.time_left', 'hw.battery.state']),
          'power',
          'no charge or remaining time of the batteries: reserve unknown',
        ),
      };
    }),
};

const returnOf = (facts: CaseFacts, ups: number, after_ns: bigint): PatternEvent | undefined =>
  facts.of('ups_restored').find(({ entity, time_ns }) => entity === ups && time_ns > after_ns);

/** Transfers, each with the events until its UPS is back on mains; a weak battery on mains is none. */
function outages(facts: CaseFacts): PatternEvent[][] {
  const open: PatternEvent[][] = [];
  // A self-test runs on battery, too.
  for (const event of facts
    .of('utility_outage', 'ups_transfer', 'ups_battery_low')
    .filter((event) => !isQualified(event, 'self_test'))) {
    const outage = open.at(-1);
    const last = outage?.at(-1);
    const isSoon =
      last !== undefined && secondsBetween(last.time_ns, event.time_ns) <= facilityPatterns.mainsTogetherSeconds;
    const own = outage?.find(({ entity }) => entity === event.entity);
    const returned = own && returnOf(facts, event.entity, own.time_ns);
    const isStill = own !== undefined && (!returned || returned.time_ns > event.time_ns);
    if (event.type === 'ups_battery_low') {
      if (outage && isStill) outage.push(event);
    } else if (outage && (isSoon || isStill)) outage.push(event);
    else open.push([event]);
  }
  return open;
}
