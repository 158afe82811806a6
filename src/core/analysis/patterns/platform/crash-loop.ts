import { isQualified } from '../../../../model/telemetry/event-details.ts';
import { nanoseconds } from '../../../../model/time.ts';
import { episodes, eventLines } from '../episodes.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { platformPatterns } from './parameters.ts';

export const crashLoop: Pattern = {
  id: 'crash-loop',
  detect: (facts) =>
    episodes(
      facts.of('pod_failed').filter((event) => isQualified(event, 'crash_loop')),
      undefined,
      patterns.repeatedApartSeconds,
    ).map(({ events, entities, start_ns, end_ns }) => {
      const [first] = events;
      const ends = facts
        .of('pod_failed', 'pod_oom_killed')
        .filter(
          ({ entity, time_ns, attributes }) =>
            entity === first.entity &&
            attributes['exit_code'] !== undefined &&
            time_ns >= start_ns - nanoseconds(platformPatterns.backOffSeconds) &&
            time_ns <= end_ns + nanoseconds(platformPatterns.backOffSeconds),
        );
      const last = ends.at(-1);
      const restarts = Math.max(
        0,
        ...[...events, ...ends].map(
          ({ attributes }) => Number(attributes['restarts'] ?? attributes['count'] ?? 0) || 0,
        ),
      );
      return {
        headline: `${first.device_id} crashes repeatedly${restarts > 0 ? ` (${restarts} times)` : ''}${last ? `: ${last.message}` : ''}.`,
        severity: 'high',
        start_ns,
        end_ns,
        entities: entities,
        evidence: [...eventLines(events), ...eventLines(ends)],
        missing: lacks(
          last !== undefined || facts.hasLog(entities),
          'logs',
          `neither exit codes nor logs of ${first.device_id}: reason of the exits unknown`,
        ),
      };
    }),
};
