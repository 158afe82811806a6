import { episodes, eventLines, timesOf } from '../episodes.ts';
import { count } from '../finding-text.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { codesOf, xids } from './xids.ts';

export const gspTimeout: Pattern = {
  id: 'gsp-timeout',
  detect: (facts) =>
    episodes(xids(facts, new Set([119, 120]))).map(({ events, entities, start_ns, end_ns }) => {
      const [first] = events;
      const what = codesOf(events).includes(119)
        ? 'the GPU system processor did not answer the driver'
        : 'the GPU system processor reported an error';
      return {
        headline: `${first.device_id}: ${what} (Xid ${codesOf(events).join(' and ')}, ${count(timesOf(events), 'time')}).`,
        severity: 'high',
        start_ns,
        end_ns,
        entities: entities,
        evidence: eventLines(events),
        missing: lacks(
          facts.hasMetric(entities, 'hw.gpu.'),
          'gpu',
          `no telemetry of ${first.device_id}: state of the GPU unknown`,
        ),
      };
    }),
};
