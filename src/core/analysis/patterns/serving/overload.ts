import { isQualified } from '../../../../model/telemetry/event-details.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern } from '../pattern.ts';

export const overload: Pattern = {
  id: 'overload',
  detect: (facts) =>
    episodes(
      facts.of('pdu_overload', 'breaker_trip').filter((event) => !isQualified(event, 'near_limit')),
      undefined,
      patterns.slowApartSeconds,
    ).map(({ events, entities, start_ns, end_ns }) => {
      const [first] = events;
      const tripped = events.filter(({ type }) => type === 'breaker_trip');
      const machines = entities
        .flatMap((key) => [...facts.at(start_ns).machinesBelow(key)])
        .filter((key) => facts.isKind(key, 'server', 'instance', 'node'));
      const behind = machines.length === 0 ? '' : ` that feeds ${count(machines.length, 'machine')}`;
      return {
        headline:
          tripped.length > 0
            ? `A breaker or fuse of ${first.device_id}${behind} opened: ${tripped[0]?.message || 'no details reported'}.`
            : `${first.device_id}${behind} is overloaded: ${first.message || 'no details reported'}.`,
        severity: tripped.length > 0 ? 'critical' : 'high',
        start_ns,
        end_ns,
        entities: entities,
        evidence: eventLines(events),
        missing: lacks(
          facts.isMeasured(entities, ['hw.current', 'hw.load', 'hw.power', 'hw.load.state']),
          'power',
          `no load of ${first.device_id}: amount of the overload unknown`,
        ),
      };
    }),
};
