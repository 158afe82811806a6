import { episodes, eventLines } from '../episodes.ts';
import { lengthText, notRecordedFor, secondsBetween } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { platformPatterns } from './parameters.ts';

export const nodeNotReady: Pattern = {
  id: 'node-not-ready',
  detect: (facts) =>
    episodes(facts.of('node_not_ready'), undefined, patterns.slowApartSeconds).flatMap(
      ({ events, entities, start_ns, end_ns }) => {
        const [first] = events;
        const ready = facts.of('node_ready').find(({ entity, time_ns }) => entity === first.entity && time_ns > end_ns);
        if (ready && secondsBetween(start_ns, ready.time_ns) < platformPatterns.nodeStartSeconds) return [];
        const all = facts.machineWithParts(first.entity, start_ns);
        const isSeen =
          facts.hasLog(all) ||
          [...all].some((part) => facts.hasMetric([part], '')) ||
          facts.events.some(({ entity, origin }) => all.has(entity) && origin !== 'kubernetes');
        const until = ready
          ? `for ${lengthText(secondsBetween(start_ns, ready.time_ns))}`
          : `with no recorded recovery ${notRecordedFor(facts.recordedAfter(first))}`;
        return [
          {
            headline: `Node ${first.device_id} was not ready ${until}: ${first.message || 'no reason reported'}.`,
            severity: 'high' as const,
            start_ns,
            end_ns: ready?.time_ns ?? end_ns,
            entities: entities,
            evidence: [...eventLines(events), ...(ready ? eventLines([ready]) : [])],
            missing: lacks(
              isSeen,
              'server',
              `no data of ${first.device_id} outside Kubernetes: failed part (machine, network, kubelet) unknown`,
            ),
          },
        ];
      },
    ),
};
