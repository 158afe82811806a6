import { episodes, eventLines } from '../episodes.ts';
import { lacks, type Pattern } from '../pattern.ts';

export const coolantLeak: Pattern = {
  id: 'coolant-leak',
  detect: (facts) =>
    episodes(facts.of('coolant_leak')).map(({ events, entities, start_ns, end_ns }) => {
      const [first] = events;
      const all = entities.flatMap((key) => [
        ...facts.machineWithParts(key, start_ns),
        ...facts.at(start_ns).above(key),
      ]);
      return {
        headline: `Leak detected at ${first.device_id}: ${first.message || 'no details reported'}.`,
        severity: 'critical',
        start_ns,
        end_ns,
        entities: entities,
        evidence: eventLines(events),
        missing: lacks(
          facts.isMeasured(all, ['hw.coolant.flow', 'hw.pressure', 'hw.temperature']),
          'cooling',
          'no flow, pressure or temperature of the coolant: amount of the loss unknown',
        ),
      };
    }),
};
