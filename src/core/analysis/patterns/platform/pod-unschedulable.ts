import { episodes, eventLines } from '../episodes.ts';
import { count, lengthText, nameList, secondsBetween } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { platformPatterns } from './parameters.ts';

export const podUnschedulable: Pattern = {
  id: 'pod-unschedulable',
  detect: (facts) => {
    const unschedulableEvents = facts.of('pod_unschedulable');
    const reason = ({ message }: { readonly message: string }) => message.replaceAll(/\d+/g, '#');
    return episodes(unschedulableEvents, reason, patterns.slowApartSeconds).flatMap(
      ({ events, entities, start_ns, end_ns }) => {
        const [first] = events;
        const last = events.reduce((latest, { attributes, time_ns }) => {
          const until = BigInt(String(attributes['last_time_ns'] ?? time_ns));
          return until > latest ? until : latest;
        }, end_ns);
        const isCondition = first.attributes['condition'] !== undefined;
        if (!isCondition && secondsBetween(start_ns, last) < platformPatterns.schedulingSeconds) return [];
        const nodes = facts.events.some(({ type }) => type.startsWith('node_'));
        return [
          {
            headline: `No node could run ${count(entities.length, 'pod')} (${nameList(entities.map((key) => facts.name(key)))})${last > start_ns ? ` for ${lengthText(secondsBetween(start_ns, last))}` : ''}: ${first.message}.`,
            severity: 'medium' as const,
            start_ns,
            end_ns: last,
            entities: entities,
            evidence: eventLines(events),
            missing: lacks(
              nodes,
              'orchestrator',
              'no state of the nodes: lost capacity cannot be distinguished from missing capacity',
            ),
          },
        ];
      },
    );
  },
};
