import type { EventType } from '../../../../model/telemetry/event-catalog.ts';
import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';

/** Events of a supply with too little output. */
export const feedTroubles = [
  'utility_outage',
  'voltage_sag',
  'ups_transfer',
  'breaker_trip',
  'outlet_off',
] as const satisfies readonly EventType[];
/** Events of a PSU that lost its input or failed. */
export const supplyTroubles = ['psu_failover', 'psu_failure'] as const satisfies readonly EventType[];

const feedKinds = ['ups', 'pdu', 'outlet', 'breaker'] as const;

/** Faults of supplies of machines; rails within a machine do not count. */
export const feedEvents = (facts: CaseFacts): PatternEvent[] =>
  facts.of(...feedTroubles).filter(({ entity }) => facts.isKind(entity, ...feedKinds));

/** Supplies of a machine or PSU, by the topology. */
export function feedsOf(facts: CaseFacts, entity: number, time_ns: bigint): number[] {
  const graph = facts.at(time_ns);
  return [...facts.machineWithParts(entity, time_ns)]
    .flatMap((part) => [...graph.above(part)])
    .filter((source, at, all) => facts.isKind(source, ...feedKinds) && all.indexOf(source) === at);
}

/** A PSU that failed, or a machine on its other PSU; health "warning" is neither. */
export const supplyEvents = (facts: CaseFacts): PatternEvent[] =>
  facts.of(...supplyTroubles).filter((event) => event.severity <= 1 || !isQualified(event, 'warning'));
