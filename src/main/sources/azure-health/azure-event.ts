import type { Severity } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { asList, asObject, asText, type Json, rawText } from '../bytes/json-access.ts';
import { cloudInstance } from '../cloud/cloud-instance.ts';
import { cloudTime } from '../cloud/cloud-time.ts';
import { appendEvent, type NewEvent } from '../event-details/append-event.ts';

const value = (one: unknown): string => asText(one) || asText(asObject(one).value);

/** The machine of a resource id, which Azure compares without case; history entries carry a tail of their own. */
function resource(builder: BatchBuilder, id: string): number {
  const own = id
    .replace(/\/providers\/microsoft\.resourcehealth\/.*$/i, '')
    .replace(/\/events\/[^/]*\/ticks\/.*$/i, '')
    .toLowerCase();
  const name = own.split('/').at(-1) ?? '';
  return own === '' ? -1 : cloudInstance(builder, own, name === own ? {} : { host: name });
}

type EventFields = Omit<NewEvent, 'origin'>;
const addEvent = (builder: BatchBuilder, event: EventFields): void =>
  appendEvent(builder, { ...event, origin: 'azure_resource_health' });

/** A change that a user requested is no fault of the platform. */
const bySource = (user: boolean, severity: Severity): Severity => (user ? 'low' : severity);

/** A Resource Health availability status, with what was lately resolved. */
export function appendAvailability(builder: BatchBuilder, record: Json): string {
  const properties = asObject(record.properties);
  const entity = resource(builder, asText(record.id));
  const state = asText(properties.availabilityState);
  const user = asText(properties.reasonType) === 'UserInitiated' || /user|customer/i.test(asText(properties.context));
  const occurred = cloudTime(properties.occuredTime ?? properties.occurredTime) ?? cloudTime(properties.reportedTime);
  const attributes = {
    state,
    reason: asText(properties.reasonType) || undefined,
    chronicity: asText(properties.reasonChronicity) || undefined,
    category: asText(properties.category) || undefined,
    recommended: asList(properties.recommendedActions).map((one) => asText(asObject(one).action)),
  };
  const raw = rawText(record);
  const message = [properties.title, properties.summary]
    .map(asText)
    .filter((text) => text !== '')
    .join(': ');
  if (state !== 'Available') {
    if (occurred === undefined) return 'an availability status without a time';
    const known = state === 'Unavailable' || state === 'Degraded';
    const severity = bySource(user, state === 'Unavailable' ? 'critical' : known ? 'high' : 'low');
    addEvent(builder, {
      entity,
      time_ns: occurred,
      type: known ? 'host_degradation' : 'cloud_event',
      severity,
      message,
      attributes,
      raw,
    });
  }
  const resolved = asObject(properties.recentlyResolved);
  const [from, to] = [
    cloudTime(resolved.unavailableOccuredTime ?? resolved.unavailableOccurredTime),
    cloudTime(resolved.resolvedTime),
  ];
  if (from !== undefined)
    addEvent(builder, {
      entity,
      time_ns: from,
      type: 'host_degradation',
      severity: bySource(user, 'high'),
      message: asText(resolved.unavailableSummary),
      attributes,
      raw,
    });
  if (to !== undefined)
    addEvent(builder, {
      entity,
      time_ns: to,
      type: 'host_recovered',
      severity: 'low',
      message: 'resolved',
      attributes,
      raw,
    });
  return '';
}

/** An entry of the activity log, category ResourceHealth. */
export function appendActivity(builder: BatchBuilder, record: Json): string {
  const time = cloudTime(record.eventTimestamp) ?? cloudTime(record.time);
  if (time === undefined) return 'an activity log entry without a time';
  const action = /healthevent\/(\w+)\/action/i.exec(value(record.operationName))?.[1]?.toLowerCase() ?? '';
  const properties = asObject(record.properties);
  const user = asText(properties.cause) === 'UserInitiated';
  const type = action === 'activated' ? 'host_degradation' : action === 'resolved' ? 'host_recovered' : 'cloud_event';
  const critical = value(record.level) === 'Critical' || value(record.level) === 'Error';
  addEvent(builder, {
    entity: resource(builder, asText(record.resourceId) || asText(record.id)),
    time_ns: time,
    type,
    severity: type === 'host_degradation' ? bySource(user, critical ? 'high' : 'medium') : 'low',
    message:
      asText(properties.title) || asText(asObject(record.operationName).localizedValue) || value(record.operationName),
    original_id: asText(record.eventDataId) || asText(record.correlationId),
    attributes: {
      status: value(record.status) || undefined,
      level: value(record.level) || undefined,
      cause: asText(properties.cause) || undefined,
      current: asText(properties.currentHealthStatus) || undefined,
      previous: asText(properties.previousHealthStatus) || undefined,
      details: asText(properties.details) || undefined,
    },
    raw: rawText(record),
  });
  return '';
}

/** A Service Health event: about a service in regions, not about one machine. */
export function appendServiceEvent(builder: BatchBuilder, record: Json): string {
  const properties = asObject(record.properties);
  const time = cloudTime(properties.impactStartTime);
  if (time === undefined) return 'a service event without a time';
  const issue = asText(properties.eventType) === 'ServiceIssue';
  const common = {
    entity: -1,
    original_id: asText(record.name),
    raw: rawText(record),
    attributes: {
      event_type: asText(properties.eventType),
      status: asText(properties.status),
      impact: properties.impact,
    },
  };
  const planned = asText(properties.eventType) === 'PlannedMaintenance';
  addEvent(builder, {
    ...common,
    time_ns: time,
    type: issue ? 'host_degradation' : planned ? 'maintenance_scheduled' : 'cloud_event',
    severity: issue ? 'medium' : 'low',
    message: asText(properties.title),
  });
  const end = cloudTime(properties.impactMitigationTime);
  if (end !== undefined && issue)
    addEvent(builder, {
      ...common,
      time_ns: end,
      type: 'host_recovered',
      severity: 'low',
      message: `mitigated: ${asText(properties.title)}`,
    });
  return '';
}

/** A scheduled event of the metadata service, one per machine it names; once it has started it has no time of its own. */
export function appendScheduled(builder: BatchBuilder, record: Json): string {
  const time = cloudTime(record.NotBefore);
  if (time === undefined) return 'a scheduled event without a time';
  const started = asText(record.EventStatus) === 'Started';
  const user = asText(record.EventSource) === 'User';
  const harmless = asText(record.EventType) === 'Freeze';
  for (const name of asList(record.Resources)
    .map(asText)
    .filter((one) => one !== ''))
    addEvent(builder, {
      entity: cloudInstance(builder, name, { host: name }),
      time_ns: time,
      type: started ? 'maintenance_started' : 'maintenance_scheduled',
      severity: bySource(user || harmless, 'medium'),
      message: `${asText(record.EventType)}: ${asText(record.Description)}`,
      original_id: asText(record.EventId),
      attributes: {
        event_type: asText(record.EventType),
        status: asText(record.EventStatus),
        source: asText(record.EventSource),
        duration_s: Number(record.DurationInSeconds) >= 0 ? record.DurationInSeconds : undefined,
      },
      raw: rawText(record),
    });
  return '';
}
