import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count, lengthText, nameList, notRecordedFor, secondsBetween } from '../finding-text.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { feedsOf, supplyEvents } from './feeds.ts';
import { facilityPatterns } from './parameters.ts';

export const lostRedundancy: Pattern = {
  id: 'lost-redundancy',
  detect: (facts) => {
    const lost = supplyEvents(facts).filter((event) => isLong(facts, event));
    return episodes(lost, () => 'all', facilityPatterns.redundancyTogetherSeconds).flatMap(
      ({ events, start_ns, end_ns }) => {
        const machines = [...new Set(events.map(({ entity, time_ns }) => facts.machineOf(entity, time_ns)))].filter(
          (machine) => machine >= 0 && !isDark(facts, machine, start_ns),
        );
        if (machines.length === 0) return [];
        const restored = machines.flatMap((machine) => restoreOf(facts, machine, start_ns) ?? []);
        const until =
          restored.length < machines.length
            ? `with no restore recorded ${notRecordedFor(facts.recordedAfter(events[0]))}`
            : `for ${lengthText(Math.max(...restored.map(({ time_ns }) => secondsBetween(start_ns, time_ns))))}`;
        const unknown = machines.filter((machine) => feedsOf(facts, machine, start_ns).length === 0);
        return [
          {
            headline: `${count(machines.length, 'machine')} (${nameList(machines.map((key) => facts.name(key)))}) without redundant power ${until}: a fault of the other supply would take ${machines.length === 1 ? 'it' : 'them'} down.`,
            severity: 'high' as const,
            start_ns,
            end_ns: restored.reduce((last, { time_ns }) => (time_ns > last ? time_ns : last), end_ns),
            entities: machines,
            evidence: [...eventLines(events), ...eventLines(restored)],
            missing: lacks(
              unknown.length === 0,
              'topology',
              `the topology does not contain the supplies of ${nameList(unknown.map((key) => facts.name(key)))}: remaining supply unknown`,
            ),
          },
        ];
      },
    );
  },
};

function restoreOf(facts: CaseFacts, machine: number, after_ns: bigint): PatternEvent | undefined {
  const parts = facts.machineWithParts(machine, after_ns);
  return facts.of('psu_restored').find(({ entity, time_ns }) => parts.has(entity) && time_ns > after_ns);
}

/** Not restored soon, and recorded long enough to know. */
function isLong(facts: CaseFacts, event: PatternEvent): boolean {
  const { entity, time_ns } = event;
  const restored = restoreOf(facts, facts.machineOf(entity, time_ns), time_ns);
  return (
    (restored ? secondsBetween(time_ns, restored.time_ns) : facts.recordedAfter(event)) >
    facilityPatterns.redundancySeconds
  );
}

/** All known PSUs failed: the machine is without power, which is not this pattern. */
function isDark(facts: CaseFacts, machine: number, time_ns: bigint): boolean {
  const supplies = [...facts.machineWithParts(machine, time_ns)].filter((part) => facts.isKind(part, 'psu'));
  const failed = new Set(facts.of('psu_failure').map(({ entity }) => entity));
  return supplies.length > 1 && supplies.every((supply) => failed.has(supply));
}
