import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count, secondsBetween } from '../finding-text.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { placeOf, warmMachines } from './cooling-failure.ts';
import { facilityPatterns } from './parameters.ts';

export const machineCooling: Pattern = {
  id: 'machine-cooling',
  detect: (facts) => {
    // Throttling alone is another pattern, and processors throttle for an instant.
    const warm = warmMachines(facts).filter(({ type }) => type === 'temperature_high');
    const fans = facts.of('fan_failure').filter((event) => isOfMachine(facts, event));
    const coolingEvents = [...warm, ...fans]
      .filter(({ severity, entity }) => entity >= 0 && severity <= 1)
      .sort((a, b) => (a.time_ns < b.time_ns ? -1 : 1));
    const machine = ({ entity, time_ns }: PatternEvent) => facts.machineOf(entity, time_ns);
    return episodes(coolingEvents, machine, facilityPatterns.coolingTogetherSeconds)
      .filter(({ events }) => !isShared(facts, events[0]))
      .map(({ events, entities, start_ns, end_ns }) => {
        const [first] = events;
        const of = facts.name(machine(first));
        const all = facts.machineWithParts(first.entity, start_ns);
        const isFan = events.some(({ type }) => type === 'fan_failure');
        const isWarm = events.some(({ type }) => type === 'temperature_high');
        const what =
          isFan && isWarm ? 'fan failed and machine overheated' : isFan ? 'fan failed' : 'machine overheated';
        return {
          headline: `${of}: ${what} (${first.message || first.type.replaceAll('_', ' ')}${events.length > 1 ? `, ${count(events.length, 'report')}` : ''}).`,
          severity: 'high' as const,
          start_ns,
          end_ns,
          entities: entities,
          evidence: eventLines(events),
          missing: [
            ...lacks(
              isWarm || facts.isMeasured(all, ['hw.temperature']),
              'cooling',
              `no temperature of ${of}: overheating unknown`,
            ),
            ...lacks(
              isFan || facts.isMeasured(all, ['hw.fan.speed', 'hw.fan.speed_ratio']),
              'cooling',
              `no fan data of ${of}: fan failure unknown`,
            ),
          ],
        };
      });
  },
};

/** A fan of a machine; cooling units of several machines are another pattern. */
function isOfMachine(facts: CaseFacts, { entity, time_ns }: PatternEvent): boolean {
  const machine = facts.machineOf(entity, time_ns);
  return facts.isKind(machine, 'server', 'node', 'instance');
}

/** Whether another machine at the same place overheated at about the same time. */
function isShared(facts: CaseFacts, event: PatternEvent): boolean {
  const place = placeOf(facts, event);
  const own = facts.machineOf(event.entity, event.time_ns);
  return warmMachines(facts).some(
    (other) =>
      facts.machineOf(other.entity, other.time_ns) !== own &&
      placeOf(facts, other) === place &&
      Math.abs(secondsBetween(other.time_ns, event.time_ns)) <= facilityPatterns.coolingTogetherSeconds,
  );
}
