import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count, nameList } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern } from '../pattern.ts';

export const podEviction: Pattern = {
  id: 'pod-eviction',
  detect: (facts) => {
    const node = ({ entity, time_ns }: PatternEvent) => facts.machineOf(entity, time_ns);
    const conditions = facts.of('node_condition').filter((event) => isQualified(event, 'resource_pressure'));
    return episodes(
      facts.of('pod_evicted').filter((event) => isQualified(event, 'resource_pressure')),
      node,
      patterns.slowApartSeconds,
    ).map(({ events, entities, start_ns, end_ns }) => {
      const [first] = events;
      const on = facts.machineOf(first.entity, start_ns);
      const isPlaced = on !== first.entity;
      const own = facts.machineWithParts(on, start_ns);
      const pressure = isPlaced
        ? conditions.filter(
            ({ entity, time_ns }) =>
              (own.has(entity) || facts.machineOf(entity, start_ns) === on) &&
              time_ns <= end_ns &&
              start_ns - time_ns < 3_600_000_000_000n,
          )
        : [];
      const resource = events.find(({ details }) => details.resource !== undefined)?.details.resource;
      return {
        headline: `${count(entities.length, 'pod')} (${nameList(entities.map((key) => facts.name(key)))}) evicted${isPlaced ? ` from ${facts.name(on)}` : ''}, which was short of ${resource ?? 'a resource'}.`,
        severity: 'high',
        start_ns: pressure[0] && pressure[0].time_ns < start_ns ? pressure[0].time_ns : start_ns,
        end_ns,
        entities: isPlaced ? [on, ...entities] : entities,
        evidence: [...eventLines(pressure), ...eventLines(events)],
        missing: [
          ...lacks(isPlaced, 'topology', 'node of the pod unknown'),
          ...lacks(
            !isPlaced || pressure.length > 0,
            'orchestrator',
            `no node conditions of ${facts.name(on)}: resource and start of the pressure unknown`,
          ),
        ],
      };
    });
  },
};
