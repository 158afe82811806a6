import { nanoseconds } from '../../../../model/time.ts';
import { median } from '../../statistics.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { type Episode, episodes, eventLines } from '../episodes.ts';
import { count, lengthText, nameList, secondsBetween } from '../finding-text.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { facilityPatterns } from './parameters.ts';

export const coolingFailure: Pattern = {
  id: 'cooling-failure',
  detect: (facts) => {
    const warm = warmMachines(facts);
    const units = facts
      .of('cooling_failure', 'coolant_flow_low', 'fan_failure', 'temperature_high')
      .filter(({ entity, type }) => type === 'cooling_failure' || facts.isKind(entity, 'cooling'));
    return episodes(warm, (event) => placeOf(facts, event), facilityPatterns.coolingTogetherSeconds).flatMap(
      (episode) => toSign(facts, episode, units) ?? [],
    );
  },
};

/** Overheating of machines, or throttling because of it. */
export const warmMachines = (facts: CaseFacts): PatternEvent[] =>
  facts
    .of('temperature_high', 'thermal_throttle')
    .filter(({ entity }) => entity >= 0 && !facts.isKind(entity, 'cooling', 'ups', 'pdu', 'switch', 'outlet'));

/** The cooling unit of an entity, else its rack, else the machine. */
export function placeOf(facts: CaseFacts, { entity, time_ns }: PatternEvent): number {
  const machine = facts.machineOf(entity, time_ns);
  const above = [...facts.at(time_ns).above(machine)];
  // A fan in the machine cools it alone.
  const own = facts.machineWithParts(machine, time_ns);
  const unit = above.find((key) => facts.isKind(key, 'cooling') && !own.has(key));
  return unit ?? above.find((key) => facts.isKind(key, 'rack')) ?? machine;
}

function toSign(
  facts: CaseFacts,
  { events, start_ns, end_ns }: Episode,
  units: readonly PatternEvent[],
): Sign | undefined {
  const machines = [...new Set(events.map(({ entity, time_ns }) => facts.machineOf(entity, time_ns)))];
  if (machines.length < facilityPatterns.coolingMachines) return undefined;
  const place = placeOf(facts, events[0]);
  const above = new Set([place, ...machines.flatMap((machine) => [...facts.at(start_ns).above(machine)])]);
  const causes = units.filter(
    ({ entity, time_ns }) =>
      above.has(entity) && Math.abs(secondsBetween(time_ns, start_ns)) <= 2 * facilityPatterns.coolingTogetherSeconds,
  );
  const coolers = [...above].filter((key) => facts.isKind(key, 'cooling'));
  if (causes.length === 0 && !facts.isMentioned(coolers) && hasMoreLoad(facts, machines, start_ns)) return undefined;
  const because = causes[0]
    ? ` after ${causes[0].device_id}: ${causes[0].message || causes[0].type.replaceAll('_', ' ')}`
    : '';
  return {
    headline: `${count(machines.length, 'machine')} at ${facts.name(place)} (${nameList(machines.map((key) => facts.name(key)))}) grew too warm within ${lengthText(secondsBetween(start_ns, end_ns))}${because}.`,
    // Higher load warms machines too.
    severity: facts.isMentioned(coolers) ? 'critical' : 'medium',
    start_ns: causes.reduce((first, { time_ns }) => (time_ns < first ? time_ns : first), start_ns),
    end_ns,
    entities: [...new Set([...causes.map(({ entity }) => entity), ...machines])],
    evidence: [...eventLines(causes), ...eventLines(events)],
    missing: lacks(
      facts.isMentioned(coolers),
      'cooling',
      'no data of the cooling unit: a failure cannot be distinguished from higher load',
    ),
  };
}

/** Whether the GPUs of these machines were busier right before they grew warm than earlier: that alone warms them. */
function hasMoreLoad(facts: CaseFacts, machines: readonly number[], start_ns: bigint): boolean {
  const { clocks, slice_ns } = facts.rows;
  const own = new Set(machines.flatMap((machine) => [...facts.machineWithParts(machine, start_ns)]));
  const recent_ns = start_ns - nanoseconds(facilityPatterns.loadBeforeSeconds);
  const known = clocks.filter(
    ({ entity, slice, busy }) => busy !== null && own.has(entity) && slice * slice_ns < start_ns,
  );
  const [recent, earlier] = [true, false].map((isRecent) =>
    median(known.filter(({ slice }) => slice * slice_ns >= recent_ns === isRecent).map(({ busy }) => busy!)),
  );
  return recent! - earlier! >= facilityPatterns.moreLoadPercent;
}
