import type { EventType } from '../../../../model/telemetry/event-catalog.ts';
import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';

/** What says that a feed gave less than it should. */
export const feedTroubles = [
  'utility_outage',
  'voltage_sag',
  'ups_transfer',
  'breaker_trip',
  'outlet_off',
] as const satisfies readonly EventType[];
/** What says that a supply of a machine lost its input or failed. */
export const supplyTroubles = ['psu_failover', 'psu_failure'] as const satisfies readonly EventType[];

const feedKinds = ['ups', 'pdu', 'outlet', 'breaker'] as const;

/** Troubles of what feeds machines; a rail within a machine is none. */
export const feedEvents = (facts: CaseFacts): PatternEvent[] =>
  facts.of(...feedTroubles).filter(({ entity }) => facts.isKind(entity, ...feedKinds));

/** What feeds a machine or a supply, as far as the map says. */
export function feedsOf(facts: CaseFacts, entity: number, time_ns: bigint): number[] {
  const graph = facts.at(time_ns);
  return [...facts.machineWithParts(entity, time_ns)]
    .flatMap((part) => [...graph.above(part)])
    .filter((source, at, all) => facts.isKind(source, ...feedKinds) && all.indexOf(source) === at);
}

/** A supply that failed, or a machine that runs on its other supply; a health of warning is neither. */
export const supplyEvents = (facts: CaseFacts): PatternEvent[] =>
  facts.of(...supplyTroubles).filter((event) => event.severity <= 1 || !isQualified(event, 'warning'));
