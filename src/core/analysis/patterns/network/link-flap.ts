import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count, lengthText, secondsBetween } from '../finding-text.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { networkPatterns } from './parameters.ts';

export const linkFlap: Pattern = {
  id: 'link-flap',
  detect: (facts) =>
    episodes(networkLinks(facts), undefined, networkPatterns.flapSeconds).flatMap(
      ({ events, entities, start_ns, end_ns }) => {
        const [first] = events;
        const down = events.filter(({ type }) => type !== 'link_up').length;
        if (down < networkPatterns.flapTimes) return [];
        return [
          {
            headline: `${first.device_id} went down ${count(down, 'time')} within ${lengthText(secondsBetween(start_ns, end_ns))}.`,
            severity: 'high' as const,
            start_ns,
            end_ns,
            entities: entities,
            evidence: eventLines(events),
            missing: otherEnd(facts, first),
          },
        ];
      },
    ),
};

export const networkLinks = (facts: CaseFacts): PatternEvent[] =>
  facts
    .of('link_down', 'link_up', 'link_flap')
    // Links of containers and bridges end with their owners.
    .filter(
      (event) =>
        !facts.isKind(event.entity, 'nvlink') &&
        !isQualified(event, 'unused_link') &&
        !/(^|\/)(veth|docker|br-|cali|cni|tap|lo)/.test(event.device_id),
    );

/** Data of the other end of a link: a fault that only one end reports may be a fault of that end. */
export function otherEnd(facts: CaseFacts, { entity, time_ns, device_id }: PatternEvent) {
  const graph = facts.at(time_ns);
  const own = facts.machineWithParts(entity, time_ns);
  const peers = [...graph.above(entity), ...graph.below(entity)].filter(
    (key) => !own.has(key) && facts.isKind(key, 'switch', 'port', 'nic', 'server'),
  );
  return lacks(
    facts.isMentioned(peers),
    'network',
    `no data of the other end of ${device_id}: faulty part (cable, optics, this end) unknown`,
  );
}
