import { isQualified } from '../../../../model/telemetry/event-details.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count, nameList } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern } from '../pattern.ts';

export const imagePull: Pattern = {
  id: 'image-pull',
  detect: (facts) => {
    const pullFailures = facts.of('pod_failed').filter((event) => isQualified(event, 'image_pull'));
    const images = new Map(
      pullFailures.flatMap(({ device_id, details: { image } }) => (image === undefined ? [] : [[device_id, image]])),
    );
    const imageOf = ({ device_id }: { readonly device_id: string }) => images.get(device_id) ?? device_id;
    return episodes(pullFailures, imageOf, patterns.repeatedApartSeconds).map(
      ({ events, entities, start_ns, end_ns }) => {
        const image = events.find(({ details }) => details.image !== undefined)?.details.image;
        const reason = events.find(({ details }) => details.image_error !== undefined)?.details.image_error;
        return {
          headline: `${count(entities.length, 'pod')} (${nameList(entities.map((key) => facts.name(key)))}) cannot start: image ${image ?? 'of a container'} cannot be pulled${reason ? `: ${reason.slice(0, 160)}` : ''}.`,
          severity: 'high',
          start_ns,
          end_ns,
          entities: entities,
          evidence: eventLines(events),
          missing: lacks(
            reason !== undefined,
            'orchestrator',
            "no record holds the registry's answer: whether name, credentials or network is at fault is unknown",
          ),
        };
      },
    );
  },
};
