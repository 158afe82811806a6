import type { Severity } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge } from '../../../model/rows/records.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { asText, rawText } from '../bytes/json-access.ts';
import { appendEvent } from '../event-details/append-event.ts';
import type { Lowered } from './format.ts';
import { nodeOf } from './health-event.ts';
import { readTime } from './times.ts';

/** The stages of a provider's maintenance that the document gives times for. */
const stages: readonly (readonly [key: string, EventType, Severity, string])[] = [
  ['actualstarttime', 'maintenance_started', 'high', 'maintenance started'],
  ['actualendtime', 'host_recovered', 'low', 'maintenance ended'],
];

/** @returns why it cannot be kept, or '' */
export function appendMaintenanceEvent(builder: BatchBuilder, event: Lowered): string {
  const resource = asText(event.resourceid);
  const node = asText(event.nodename);
  if (resource === '' && node === '') return 'a maintenance event about nothing that has a name';
  const instance =
    resource === ''
      ? nodeOf(builder, node)
      : builder.entity('instance', resource, [{ kind: 'cloud_instance_id', name: resource }]);
  if (node !== '' && resource !== '')
    appendEdge(builder, { from: nodeOf(builder, node), kind: 'runs_on', to: instance, provenance: 'nvsentinel' });
  const received = readTime(event.eventreceivedtimestamp) ?? readTime(event.lastupdatedtimestamp);
  const unscheduled = asText(event.maintenancetype).toUpperCase() === 'UNSCHEDULED';
  const times = Object.fromEntries(
    Object.entries(event).flatMap(([key, value]) =>
      /time(stamp)?$/.test(key) ? [[key, readTime(value)?.toString()]] : [],
    ),
  );
  const attributes = {
    provider: asText(event.csp) || undefined,
    maintenance_type: asText(event.maintenancetype),
    status: asText(event.status),
    provider_status: asText(event.cspstatus),
    recommended_action: asText(event.recommendedaction) || undefined,
    resource_type: asText(event.resourcetype) || undefined,
    cluster: asText(event.clustername) || undefined,
    metadata: event.metadata ?? undefined,
    times_ns: times,
  };
  const addEvent = (time_ns: bigint, type: EventType, severity: Severity, message: string): void =>
    appendEvent(builder, {
      entity: instance,
      time_ns,
      type,
      severity,
      message,
      origin: 'nvsentinel',
      original_id: asText(event.eventid),
      attributes,
      raw: rawText(event),
    });
  let eventCount = 0;
  if (received !== undefined && ++eventCount)
    addEvent(
      received,
      unscheduled ? 'host_degradation' : 'maintenance_scheduled',
      unscheduled ? 'high' : 'low',
      `maintenance announced: ${asText(event.maintenancetype).toLowerCase()}`,
    );
  for (const [key, type, severity, message] of stages) {
    const time = readTime(event[key]);
    if (time !== undefined && ++eventCount) addEvent(time, type, severity, message);
  }
  return eventCount > 0 ? '' : 'a maintenance event without any time';
}
