import type { PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count } from '../finding-text.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { platformPatterns } from './parameters.ts';

/** Importers and feeds of providers, and NVSentinel, which forwards them. */
const PROVIDER = /aws|azure|gcp|google|cloud|csp|maintenance/i;

export const cloudHost: Pattern = {
  id: 'cloud-host',
  detect: (facts) => {
    const hostEvents = facts
      .of('host_degradation', 'maintenance_started', 'maintenance_scheduled', 'host_recovered')
      .filter((event) => event.entity >= 0)
      .filter((event) => facts.isKind(event.entity, 'instance') || PROVIDER.test(event.origin) || isStatusCheck(event));
    return episodes(hostEvents, undefined, platformPatterns.hostApartSeconds).flatMap(
      ({ events, entities, start_ns, end_ns }) => {
        const bad = events.filter(({ type }) => type !== 'host_recovered');
        const [first] = bad;
        if (!first) return [];
        const degraded = bad.find(({ type }) => type !== 'maintenance_scheduled');
        const about = degraded ?? first;
        const over = events.at(-1)?.type === 'host_recovered' ? '; reported healthy again' : '';
        const all = entities.flatMap((entity) => [...facts.machineWithParts(entity, start_ns)]);
        const isSeen = all.some(
          (part) =>
            facts.hasMetric([part], '') ||
            facts.hasLog([part]) ||
            facts.events.some(({ entity, origin }) => entity === part && origin !== first.origin),
        );
        return [
          {
            headline: degraded
              ? `The provider reports a fault of ${about.device_id}: ${about.message || 'no details reported'} (${count(bad.length, 'report')})${over}.`
              : `The provider plans maintenance of ${about.device_id}: ${about.message || 'no details reported'}.`,
            severity: degraded ? ('high' as const) : ('low' as const),
            start_ns,
            end_ns,
            entities: entities,
            evidence: eventLines(events),
            missing: lacks(isSeen, 'server', `no data from ${about.device_id} itself: effect on its workload unknown`),
          },
        ];
      },
    );
  },
};

const isStatusCheck = ({ attributes }: PatternEvent): boolean =>
  (attributes['derived_from'] as { readonly metric?: unknown } | undefined)?.metric === 'cloud.status_check.failed';
