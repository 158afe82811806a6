import { isQualified, type LimitChange } from '../../../../model/telemetry/event-details.ts';
import { isMildCap } from '../../causality/event-traits.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { feedTroubles, supplyTroubles } from '../facility/feeds.ts';
import { nameList } from '../finding-text.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { endOfSlowdown, howLong } from '../serving/slowdown.ts';
import { isBrake } from './gpu-power-brake.ts';

/** A controller caps its machines within its own poll; what a policy does a minute before is another story. */
const TOGETHER_S = 15;
const BEFORE_NS = 120_000_000_000n;
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
    episodes(facts.of('cpu_power_cap', 'power_cap_applied').filter(isLowered), () => 'all', TOGETHER_S).map(
      (episode) => {
        const { events, entities, start_ns, end_ns } = episode;
        const [first] = events;
        const around = { from_ns: start_ns - BEFORE_NS, to_ns: end_ns };
        const causes = entities.flatMap((entity) =>
          facts.upstream(entity, [...feedTroubles, ...supplyTroubles], around),
        );
        const ended = endOfSlowdown(facts, episode);
        const drop = dropOf(events);
        const limits = drop ? `, ${drop.from} W to ${drop.to} W` : entities.length === 1 ? `: ${first.message}` : '';
        return {
          headline: `Power limit lowered on ${nameList(entities.map((thing) => facts.name(thing)))} ${howLong(start_ns, ended)}${limits}.`,
          severity: isMild(events, drop) ? 'low' : 'medium',
          start_ns,
          end_ns: ended ?? end_ns,
          entities: entities,
          evidence: [...eventLines(events), ...eventLines([...new Set(causes)])],
          missing: lacks(
            hasImpact(facts, entities, start_ns),
            'server',
            'no clocks, load or power of these machines: whether the limit slowed anything is unknown',
          ),
        };
      },
    ),
};

/** To run at the limit that always held is a GPU at work; only a limit that was lowered is news. */
function isLowered(event: PatternEvent): boolean {
  const { type, origin, attributes } = event;
  if (isBrake(event)) return false;
  if (type === 'cpu_power_cap' || origin !== 'derived') return !isQualified(event, 'at_limit');
  const from = attributes['derived_from'] as { readonly metric?: unknown } | undefined;
  return from?.metric === 'hw.power.limit';
}

const hasImpact = (facts: CaseFacts, entities: readonly number[], time_ns: bigint): boolean =>
  entities.some((thing) => facts.isMeasured(facts.machineWithParts(thing, time_ns), EFFECTS));

const isMild = (events: readonly PatternEvent[], drop: LimitChange | undefined): boolean =>
  drop ? isMildCap(drop) : events.every(({ severity }) => severity >= 3);

/** The lowering that all records that state one agree on; undefined where they do not. */
function dropOf(events: readonly PatternEvent[]): LimitChange | undefined {
  const stated = events.flatMap(({ details }) => details.limit ?? []);
  const [first] = stated;
  return stated.every(({ from, to }) => from === first?.from && to === first.to) ? first : undefined;
}
