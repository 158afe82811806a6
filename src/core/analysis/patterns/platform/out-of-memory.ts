import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count, nameList } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern } from '../pattern.ts';

export const outOfMemory: Pattern = {
  id: 'out-of-memory',
  detect: (facts) => {
    const machine = ({ entity, time_ns, device_id }: PatternEvent) =>
      entity < 0 ? device_id : facts.machineOf(entity, time_ns);
    return episodes(facts.of('out_of_memory', 'pod_oom_killed'), machine, patterns.briefApartSeconds).map(
      ({ events, entities, start_ns, end_ns }) => {
        const who = events.flatMap(({ attributes, type, device_id }) =>
          type === 'pod_oom_killed'
            ? [`${device_id}${attributes['container'] ? ` (${String(attributes['container'])})` : ''}`]
            : attributes['process']
              ? [String(attributes['process'])]
              : [],
        );
        const where = events.find(({ type }) => type === 'out_of_memory')?.device_id;
        const kernel = events.filter(({ origin, type }) => type === 'out_of_memory' && origin !== 'kubernetes');
        const isLimit = events.some(
          (event) => event.type === 'pod_oom_killed' || isQualified(event, 'container_limit'),
        );
        return {
          headline: `${nameList(who.length > 0 ? who : events.map(({ device_id }) => device_id))} killed, out of memory${where ? ` on ${where}` : ''}, ${count(events.length, 'time')}${isLimit ? ', at the limit of a container' : ''}.`,
          severity: 'high',
          start_ns,
          end_ns,
          entities: entities,
          evidence: eventLines(events),
          missing: lacks(
            kernel.length > 0 || entities.some((entity) => facts.hasLog(facts.machineWithParts(entity, start_ns))),
            'logs',
            'no kernel log of the machine: exhausted limit (container or machine) and memory use unknown',
          ),
        };
      },
    );
  },
};
