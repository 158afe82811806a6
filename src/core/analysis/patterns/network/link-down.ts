import { episodes, eventLines } from '../episodes.ts';
import { lengthText, secondsBetween } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import type { Pattern } from '../pattern.ts';
import { networkLinks, otherEnd } from './link-flap.ts';
import { networkPatterns } from './parameters.ts';

export const linkDown: Pattern = {
  id: 'link-down',
  detect: (facts) =>
    episodes(networkLinks(facts), undefined, patterns.briefApartSeconds).flatMap(({ events, entities, start_ns }) => {
      const last = events.findLast(({ type }) => type === 'link_down');
      if (!last || events.filter(({ type }) => type === 'link_down').length > 1) return [];
      const up = facts
        .of('link_up')
        .find(
          ({ entity, device_id, time_ns }) =>
            entity === last.entity && device_id === last.device_id && time_ns >= last.time_ns,
        );
      const lasted = up ? secondsBetween(last.time_ns, up.time_ns) : facts.recordedAfter(last);
      if (lasted < networkPatterns.downSeconds) return [];
      return [
        {
          headline: up
            ? `${last.device_id} was down for ${lengthText(lasted)}.`
            : `${last.device_id} went down and did not come up in the ${lengthText(lasted)} recorded after it.`,
          severity: 'high' as const,
          start_ns,
          end_ns: up?.time_ns ?? last.time_ns,
          entities: entities,
          evidence: eventLines(events),
          missing: otherEnd(facts, last),
        },
      ];
    }),
};
