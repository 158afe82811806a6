import { episodes, eventLines } from '../episodes.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { codesOf, xids } from './xids.ts';

export const gpuOffBus: Pattern = {
  id: 'gpu-off-bus',
  detect: (facts) => {
    const lostEvents = [...xids(facts, new Set([79])), ...facts.of('gpu_lost')];
    return episodes(lostEvents.sort((a, b) => (a.time_ns < b.time_ns ? -1 : 1))).map(
      ({ events, entities, start_ns, end_ns }) => {
        const [first] = events;
        const hasXid79 = codesOf(events).includes(79);
        return {
          headline: hasXid79
            ? `${first.device_id} has fallen off the bus (Xid 79): the driver cannot reach it over PCIe anymore.`
            : `${first.device_id} is lost to NVML; fall off the bus not confirmed.`,
          severity: 'critical',
          start_ns,
          end_ns,
          entities: entities,
          evidence: eventLines(events),
          missing: lacks(
            hasXid79,
            'logs',
            `no kernel log with an Xid of ${first.device_id}: NVML also reports a GPU as lost if it became inaccessible for other reasons`,
          ),
        };
      },
    );
  },
};
