import { isQualified } from '../../../../model/telemetry/event-details.ts';
import { nanoseconds } from '../../../../model/time.ts';
import type { PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count, nameList } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { endOfSlowdown, howLong, isOld } from '../serving/slowdown.ts';
import { gpuPatterns } from './parameters.ts';

const COOLING = ['temperature_high', 'fan_failure', 'coolant_flow_low', 'coolant_leak', 'cooling_failure'] as const;

export const gpuThermal: Pattern = {
  id: 'gpu-thermal',
  detect: (facts) => {
    const throttleEvents = facts.of('thermal_throttle').filter(({ entity }) => facts.isKind(entity, 'gpu'));
    const machine = ({ entity, time_ns }: PatternEvent) => facts.machineOf(entity, time_ns);
    return episodes(throttleEvents, machine, patterns.slowApartSeconds).map((episode) => {
      const { events, entities, start_ns } = episode;
      const ended = endOfSlowdown(facts, episode);
      const around = {
        from_ns: start_ns - nanoseconds(gpuPatterns.heatBeforeSeconds),
        to_ns: episode.end_ns + nanoseconds(gpuPatterns.heatAfterSeconds),
      };
      const causes = facts.upstream(entities[0]!, COOLING, around);
      const all = facts.machineWithParts(entities[0]!, start_ns);
      const hard = events.some((event) => isQualified(event, 'hardware_slowdown'));
      const soft = events.some((event) => isQualified(event, 'software_slowdown'));
      const by = hard ? ', by hardware thermal slowdown' : soft ? ', by software thermal slowdown' : '';
      const since = events.every(isOld) ? ', from before the recording,' : '';
      return {
        headline: `${count(entities.length, 'GPU')} (${nameList(entities.map((entity) => facts.name(entity)))}) held down by heat${since} ${howLong(start_ns, ended)}${by}.`,
        severity: hard ? 'high' : 'medium',
        start_ns,
        end_ns: ended ?? episode.end_ns,
        entities: entities,
        evidence: [...eventLines(events), ...eventLines(causes)],
        missing: lacks(
          facts.isMeasured(all, ['hw.temperature', 'hw.gpu.memory.temperature', 'hw.fan.speed', 'hw.fan.speed_ratio']),
          'cooling',
          'no temperature or fan data of the GPU or its machine: temperature and cause unknown',
        ),
      };
    });
  },
};
