import { isQualified } from '../../../../model/telemetry/event-details.ts';
import { nanoseconds } from '../../../../model/time.ts';
import type { PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { feedsOf, feedTroubles, supplyTroubles } from '../facility/feeds.ts';
import { count, nameList } from '../finding-text.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { endOfSlowdown, howLong, isOld } from '../serving/slowdown.ts';
import { gpuPatterns } from './parameters.ts';

const SUPPLIES = ['hw.power', 'hw.power.input', 'hw.voltage', 'hw.status'] as const;

/** Some data sources name only the cap, with the reason as text. */
export const isBrake = (event: PatternEvent): boolean =>
  event.type === 'power_brake' || isQualified(event, 'power_brake');

export const gpuPowerBrake: Pattern = {
  id: 'gpu-power-brake',
  detect: (facts) =>
    episodes(
      facts.of('power_brake', 'power_cap_applied').filter(isBrake),
      () => 'all',
      gpuPatterns.brakeTogetherSeconds,
    ).map((episode) => {
      const { events, entities, start_ns, end_ns } = episode;
      const around = {
        from_ns: start_ns - nanoseconds(gpuPatterns.causeBeforeSeconds),
        to_ns: start_ns + nanoseconds(gpuPatterns.brakeAfterSeconds),
      };
      const causes = entities.flatMap((gpu) =>
        facts.upstream(gpu, [...feedTroubles, ...supplyTroubles, 'cpu_power_cap', 'pdu_overload'], around),
      );
      const power = entities.flatMap((gpu) => [
        ...feedsOf(facts, gpu, start_ns),
        ...[...facts.machineWithParts(gpu, start_ns)].filter((part) => facts.isKind(part, 'psu', 'server')),
      ]);
      const ended = endOfSlowdown(facts, episode);
      const since = events.every(isOld) ? ', from before the recording,' : '';
      const isKnown =
        causes.length > 0 ||
        facts.isMeasured(power, SUPPLIES) ||
        facts.isMentioned(power.filter((p) => !facts.isKind(p, 'server')));
      return {
        headline: `${count(entities.length, 'GPU')} (${nameList(entities.map((entity) => facts.name(entity)))}) braked by the external power signal${since} ${howLong(start_ns, ended)}.`,
        severity: 'high',
        start_ns,
        end_ns: ended ?? end_ns,
        entities: entities,
        evidence: [...eventLines(events), ...eventLines([...new Set(causes)])],
        missing: lacks(
          isKnown,
          'power',
          'no data of the PSUs and supplies of these machines: origin of the brake signal unknown',
        ),
      };
    }),
};
