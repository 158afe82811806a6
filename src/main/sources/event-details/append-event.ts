import { type Severity, severities } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { attributesText } from '../../../model/rows/records.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { detailsText, type EventDetails } from '../../../model/telemetry/event-details.ts';
import { readDetails } from './read-details.ts';

export interface NewEvent {
  readonly entity: number;
  readonly time_ns: bigint;
  readonly type: EventType | (string & {});
  readonly severity: Severity;
  readonly message: string;
  /** Who reported it: `kernel`, `redfish`, `kubernetes`, `aws_health`, `nvml`. */
  readonly origin: string;
  /** The record's own id where it has one; '' otherwise. */
  readonly original_id?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** What the importer knows by itself: it comes before what the words of the record mean. */
  readonly details?: EventDetails;
  /** The record as it was found. */
  readonly raw?: string;
}

/** Something that happened to an entity at an instant. Every event of every importer and feed comes by here. */
export function appendEvent(builder: BatchBuilder, event: NewEvent): void {
  const attributes = event.attributes ?? {};
  builder.table('event').push({
    original_id: event.original_id ?? '',
    time_ns: event.time_ns,
    entity: event.entity,
    origin: builder.name(event.origin),
    type: builder.name(event.type),
    severity: severities.indexOf(event.severity),
    message: event.message,
    attributes: attributesText(attributes),
    details: detailsText({
      ...readDetails({ type: event.type, message: event.message, attributes }),
      ...event.details,
    }),
    raw: event.raw ?? '',
  });
}
