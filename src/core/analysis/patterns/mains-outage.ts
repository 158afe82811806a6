import { episodes, eventLines } from './episodes.ts';
import { lacks, type Pattern } from './pattern.ts';
import { count, lengthWords, nameList, secondsBetween } from './words.ts';

/** Of several UPS of a site, one outage. */
const TOGETHER_S = 120;

export const mainsOutage: Pattern = {
  id: 'mains-outage',
  detect: (facts) =>
    episodes(
      facts.of('utility_outage', 'ups_transfer', 'ups_battery_low').filter(isTransfer),
      () => 'all',
      TOGETHER_S,
    ).map(({ events, things, start_ns, end_ns }) => {
      const back = things.flatMap(
        (ups) => facts.of('ups_restored').find(({ entity, time_ns }) => entity === ups && time_ns > start_ns) ?? [],
      );
      const weak = events.filter(({ type }) => type === 'ups_battery_low');
      const last = back.reduce((latest, { time_ns }) => (time_ns > latest ? time_ns : latest), end_ns);
      const until =
        back.length < things.length
          ? 'with no return to mains recorded'
          : `for ${lengthWords(secondsBetween(start_ns, last))}`;
      const battery =
        weak.length > 0
          ? `; battery low, depleted or faulty on ${nameList(weak.map(({ device_id }) => device_id))}`
          : '';
      return {
        headline: `${count(things.length, 'UPS', 'UPS')} (${nameList(things.map((key) => facts.name(key)))}) on battery ${until}${battery}.`,
        severity: weak.length > 0 ? 'critical' : 'high',
        start_ns,
        end_ns: last,
        things,
        evidence: [...eventLines(events), ...eventLines(back)],
        missing: lacks(
          facts.isMeasured(things, ['hw.battery.charge', 'hw.battery.time_left', 'hw.battery.state']),
          'power',
          'no charge or time left of the batteries: how long they would have lasted is unknown',
        ),
      };
    }),
};

/** A self-test runs on battery, too, and says so. */
const isTransfer = ({ message }: { readonly message: string }): boolean => !/self[- ]?test|calibrat/i.test(message);
