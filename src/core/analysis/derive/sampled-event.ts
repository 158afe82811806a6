import { jsonMembers } from '../../../base/json-members.ts';
import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import { NO_DETAILS } from '../../../model/telemetry/event-details.ts';

/** The series of an event; `attributes` is JSON object text. */
interface SampledSeries {
  readonly series_id: number;
  readonly entity: number;
  readonly metric: string;
  readonly unit: string;
  readonly attributes: string;
}

type Happened = Pick<DerivedEvent, 'source_id' | 'time_ns' | 'type' | 'severity' | 'message'> & {
  /** None where left out. */
  readonly details?: DerivedEvent['details'];
  /** Distinguishes events of one series. */
  readonly name: string;
  readonly samples: readonly (readonly [time_ns: bigint, value: number])[];
};

/** An event that samples of one series show. */
export function sampledEvent(
  { series_id, entity, metric, unit, attributes }: SampledSeries,
  { name, samples, details = NO_DETAILS, ...happened }: Happened,
): DerivedEvent {
  const stated = jsonMembers(attributes);
  return {
    ...happened,
    id: `derived:${series_id}:${name}:${happened.time_ns}`,
    entity,
    details,
    attributes: {
      derived_from: {
        metric,
        unit,
        ...(Object.keys(stated).length > 0 ? { series: stated } : {}),
        samples: samples.map(([time_ns, value]) => ({ time_ns: String(time_ns), value })),
      },
    },
  };
}
