import { isQualified, type LimitChange } from '../../../../model/telemetry/event-details.ts';
import { nanoseconds } from '../../../../model/time.ts';
import { isMildCap } from '../../causality/event-traits.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { feedTroubles, supplyTroubles } from '../facility/feeds.ts';
import { nameList } from '../finding-text.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { endOfSlowdown, howLong } from '../serving/slowdown.ts';
import { isBrake } from './gpu-power-brake.ts';
import { gpuPatterns } from './parameters.ts';

const EFFECTS = [
  'hw.gpu.clock.sm',
  'hw.gpu.clocks_event_reasons',
  'hw.gpu.utilization',
  'system.cpu.utilization',
  'hw.power',
] as const;

export const powerCap: Pattern = {
  id: 'power-cap',
  detect: (facts) =>
    episodes(
      facts.of('cpu_power_cap', 'power_cap_applied').filter(isLowered),
      () => 'all',
      gpuPatterns.capTogetherSeconds,
    ).map((episode) => {
      const { events, entities, start_ns, end_ns } = episode;
      const [first] = events;
      const around = { from_ns: start_ns - nanoseconds(gpuPatterns.causeBeforeSeconds), to_ns: end_ns };
      const causes = entities.flatMap((entity) => facts.upstream(entity, [...feedTroubles, ...supplyTroubles], around));
      const ended = endOfSlowdown(facts, episode);
      const drop = dropOf(events);
      const limits = drop ? `, ${drop.from} W to ${drop.to} W` : entities.length === 1 ? `: ${first.message}` : '';
      return {
        headline: `Power limit lowered on ${nameList(entities.map((entity) => facts.name(entity)))} ${howLong(start_ns, ended)}${limits}.`,
        severity: isMild(events, drop) ? 'low' : 'medium',
        start_ns,
        end_ns: ended ?? end_ns,
        entities: entities,
        evidence: [...eventLines(events), ...eventLines([...new Set(causes)])],
        missing: lacks(
          hasImpact(facts, entities, start_ns),
          'server',
          'no clocks, load or power of these machines: effect of the limit unknown',
        ),
      };
    }),
};

/** A GPU at its normal power limit is no fault; only a lowered limit is. */
function isLowered(event: PatternEvent): boolean {
  const { type, origin, attributes } = event;
  if (isBrake(event)) return false;
  if (type === 'cpu_power_cap' || origin !== 'derived') return !isQualified(event, 'at_limit');
  const from = attributes['derived_from'] as { readonly metric?: unknown } | undefined;
  return from?.metric === 'hw.power.limit';
}

const hasImpact = (facts: CaseFacts, entities: readonly number[], time_ns: bigint): boolean =>
  entities.some((entity) => facts.isMeasured(facts.machineWithParts(entity, time_ns), EFFECTS));

const isMild = (events: readonly PatternEvent[], drop: LimitChange | undefined): boolean =>
  drop ? isMildCap(drop) : events.every(({ severity }) => severity >= 3);

/** The old and new limit if all records agree; undefined otherwise. */
function dropOf(events: readonly PatternEvent[]): LimitChange | undefined {
  const stated = events.flatMap(({ details }) => details.limit ?? []);
  const [first] = stated;
  return stated.every(({ from, to }) => from === first?.from && to === first.to) ? first : undefined;
}
