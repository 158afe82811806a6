import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import { NO_DETAILS } from '../../../model/telemetry/event-details.ts';
import { CPU_TIME } from '../../../model/telemetry/metric.ts';
import type { CounterBegunFact, Reader } from '../../store/facts/reader.ts';
import { derive } from './parameters.ts';

/** Pods that began to run during the recording, by their processor time: where the samples of a fleet are kept, its events are often gone. */
export const deriveStarts = async (reader: Reader): Promise<DerivedEvent[]> =>
  (
    await reader.countersBegun({
      metrics: CPU_TIME,
      distances: derive.startDistances,
      same_s: derive.sameStartSeconds,
    })
  ).map(eventOf);

const eventOf = ({
  entity,
  series_id,
  metric,
  source_id,
  start_ns,
  time_ns,
  value,
  cores,
  floor_s,
}: CounterBegunFact): DerivedEvent => ({
  id: `derived:${series_id}:start:${start_ns}`,
  source_id,
  time_ns: start_ns,
  entity,
  type: 'pod_started',
  severity: 'low',
  message: `its processor time began to count; it used ${cores.toFixed(1)} processor cores at first`,
  details: NO_DETAILS,
  attributes: {
    derived_from: { metric, unit: 's', samples: [{ time_ns: String(time_ns), value }], sampling_floor_s: floor_s },
  },
});
