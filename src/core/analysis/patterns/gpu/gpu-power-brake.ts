import type { FindingEvidence } from '../../../../model/incident/finding.ts';
import { isQualified } from '../../../../model/telemetry/event-details.ts';
import { nanoseconds } from '../../../../model/time.ts';
import type { PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { feedsOf, feedTroubles, supplyTroubles } from '../facility/feeds.ts';
import { count, nameList } from '../finding-text.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { endOfSlowdown, howLong, isOld } from '../serving/slowdown.ts';
import { gpuPatterns } from './parameters.ts';
import { type SlowedGpus, slowedWith } from './slowed-gpus.ts';

const SUPPLIES = ['hw.power', 'hw.power.input', 'hw.voltage', 'hw.status'] as const;

const MOST_CLOCKS = 20;

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
      const slowed = slowedWith(facts, entities, start_ns);
      const all = [...new Set([...entities, ...slowed.gpus])];
      const ended = endOfSlowdown(facts, episode) ?? endByClocks(entities, slowed);
      const since = events.every(isOld) ? ', from before the recording,' : '';
      const isKnown =
        causes.length > 0 ||
        facts.isMeasured(power, SUPPLIES) ||
        facts.isMentioned(power.filter((p) => !facts.isKind(p, 'server')));
      return {
        headline: `${count(all.length, 'GPU')} (${nameList(all.map((entity) => facts.name(entity)))}) ${headline(entities, slowed, `${since} ${howLong(start_ns, ended)}`)}.`,
        severity: 'high',
        start_ns,
        end_ns: ended ?? end_ns,
        entities: all,
        evidence: [...eventLines(events), ...clockLines(slowed), ...eventLines([...new Set(causes)])],
        missing: lacks(
          isKnown,
          'power',
          'no data of the PSUs and supplies of these machines: origin of the brake signal unknown',
        ),
      };
    }),
};

/** How many reported it, and how many the clocks alone show: the headline counts both together. */
function headline(reported: readonly number[], { gpus, usual_mhz, slowed_mhz }: SlowedGpus, lasted: string): string {
  const silent = gpus.filter((gpu) => !reported.includes(gpu)).length;
  if (silent === 0) return `braked by the external power signal${lasted}`;
  const slowed = `slowed from ${Math.round(usual_mhz)} to ${Math.round(slowed_mhz)} MHz${lasted}`;
  return `${slowed}: ${reported.length} reported the external power brake, ${silent} ${silent === 1 ? 'shows' : 'show'} it by the clocks alone`;
}

/** Where clocks show every GPU that reported it. */
const endByClocks = (reported: readonly number[], { gpus, ended_ns }: SlowedGpus): bigint | null =>
  reported.every((gpu) => gpus.includes(gpu)) ? ended_ns : null;

const clockLines = ({ gpus, usual_mhz, slowed_mhz, refs }: SlowedGpus): FindingEvidence[] =>
  gpus.length === 0
    ? []
    : [
        {
          text: `clocks of ${count(gpus.length, 'GPU')} of these machines fell from ${Math.round(usual_mhz)} to ${Math.round(slowed_mhz)} MHz`,
          refs: refs.slice(0, MOST_CLOCKS),
        },
      ];
