import { episodes, eventLines } from './episodes.ts';
import { lacks, type Pattern } from './pattern.ts';
import { isPull } from './pod-events.ts';
import { count, nameList } from './words.ts';

const APART_S = 1800;
const IMAGE = /image "?([^\s",]+)/;

export const imagePull: Pattern = {
  id: 'image-pull',
  detect: (facts) => {
    const told = facts.of('pod_failed').filter(isPull);
    const images = new Map(
      told.flatMap(({ device_id, message }) => (IMAGE.exec(message) ? [[device_id, IMAGE.exec(message)?.[1]]] : [])),
    );
    const imageOf = ({ device_id }: { readonly device_id: string }) => images.get(device_id) ?? device_id;
    return episodes(told, imageOf, APART_S).map(({ events, things, start_ns, end_ns }) => {
      const image = events.map(({ message }) => IMAGE.exec(message)?.[1]).find((name) => name !== undefined);
      // The runtime's own error follows the name of the image.
      const reason = events
        .map(({ message }) => /pull image [^:]+(?::[\w.-]+)?"?: (.+)/.exec(message)?.[1])
        .find((text) => text !== undefined);
      return {
        headline: `${count(things.length, 'pod')} (${nameList(things.map((key) => facts.name(key)))}) cannot start: image ${image ?? 'of a container'} cannot be pulled${reason ? `: ${reason.slice(0, 160)}` : ''}.`,
        severity: 'high',
        start_ns,
        end_ns,
        things,
        evidence: eventLines(events),
        missing: lacks(
          reason !== undefined,
          'orchestrator',
          "no record holds the registry's answer: whether name, credentials or network is at fault is unknown",
        ),
      };
    });
  },
};
