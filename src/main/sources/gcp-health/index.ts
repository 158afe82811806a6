import type { Severity } from '../../../model/entity.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type FileHead, type Source, type SourceInput } from '../../../model/storage/source.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { asList, asObject, asText, at, type Json, rawText } from '../bytes/json-access.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { cloudInstance } from '../cloud/cloud-instance.ts';
import { cloudTime } from '../cloud/cloud-time.ts';
import { appendEvent } from '../event-details/append-event.ts';

/** Google Cloud: system events of the audit log, and instances with their upcoming maintenance. */
export const gcpHealth: Source = {
  id: 'gcp-health',
  title: 'GCP system events (audit log) and instance maintenance',
  looks_for:
    'GCP: audit log entries of compute.instances system events, instances with upcomingMaintenance, or maintenanceEvent',
  leaves_open: ['time'],
  detect: (head) => lists.some((list) => firstOf(head, list)) || firstOf(head, undefined),
  read,
};

const lists = ['items', 'entries'] as const;
const firstOf = (head: FileHead, list: string | undefined): boolean => {
  const first: unknown = Array.isArray(head.json)
    ? head.json[0]
    : list === undefined
      ? head.json
      : asList(head.object[list])[0];
  return [isSystemEvent, isInstance, isMetadata].some((is) => is(asObject(first)));
};
const isSystemEvent = (record: Json): boolean =>
  /^compute\.instances\./.test(asText(at(record, 'protoPayload', 'methodName')));
/** Response of the metadata server about its own machine: `instance/?recursive=true`. */
const isMetadata = (record: Json): boolean =>
  typeof record.maintenanceEvent === 'string' && ('id' in record || 'name' in record);
const isInstance = (record: Json): boolean =>
  typeof at(record, 'resourceStatus', 'upcomingMaintenance') === 'object' ||
  /googleapis\.com\/compute\//.test(asText(record.selfLink) || asText(record.machineType));

/** What the methods of system events mean; the log itself calls all of them INFO. */
const methods: Readonly<Record<string, readonly [EventType, Severity]>> = {
  hostError: ['host_degradation', 'critical'],
  automaticRestart: ['host_rebooted', 'medium'],
  preempted: ['host_degradation', 'high'],
  migrateOnHostMaintenance: ['maintenance_started', 'medium'],
  terminateOnHostMaintenance: ['maintenance_started', 'high'],
  scheduledVMTerminateOnHostMaintenance: ['maintenance_started', 'high'],
  guestTerminate: ['cloud_event', 'low'],
};

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const captured = input.files[0]?.captured_ns ?? 0n;
  let done = 0;
  for await (const record of jsonRecords(input.chunks)) {
    done = record.at;
    if (record.reason !== undefined) builder.reject(input.name, record.at, record.reason, record.excerpt);
    else {
      const object = asObject(record.value);
      const inner = [object.items, object.entries].find(Array.isArray) ?? [object];
      for (const one of asList(inner)) {
        const problem = append(builder, asObject(one), captured);
        if (problem !== '') builder.reject(input.name, record.at, problem, rawText(one).slice(0, 500));
      }
    }
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(done);
  }
  yield builder.finish(done);
}

function append(builder: BatchBuilder, record: Json, captured: bigint): string {
  if (isSystemEvent(record)) return appendSystemEvent(builder, record);
  if (isMetadata(record)) return appendMaintenance(builder, record, captured);
  return isInstance(record) ? appendInstance(builder, record, captured) : 'no GCP system event or instance';
}

function appendSystemEvent(builder: BatchBuilder, record: Json): string {
  const time = cloudTime(record.timestamp) ?? cloudTime(record.receiveTimestamp);
  if (time === undefined) return 'a log entry without a time';
  const method = asText(at(record, 'protoPayload', 'methodName')).replace('compute.instances.', '');
  const [type, severity] =
    (Object.hasOwn(methods, method) ? methods[method] : undefined) ?? (['cloud_event', 'low'] as const);
  const path = asText(at(record, 'protoPayload', 'resourceName'));
  const name = path.split('/').at(-1) ?? '';
  const id = asText(at(record, 'resource', 'labels', 'instance_id'));
  if (id === '' && name === '') return 'a system event about no instance';
  appendEvent(builder, {
    entity: cloudInstance(builder, id || name, { ids: id === '' ? [] : [name].filter(Boolean), host: name }),
    time_ns: time,
    type,
    severity,
    message: `${method}: ${asText(at(record, 'protoPayload', 'status', 'message'))}`,
    origin: 'gcp_instance_health',
    original_id: asText(record.insertId),
    attributes: {
      method,
      zone: asText(at(record, 'resource', 'labels', 'zone')),
      project: asText(at(record, 'resource', 'labels', 'project_id')),
    },
    raw: rawText(record),
  });
  return '';
}

/** Of the value of `maintenance-event` (Google Cloud, live migration): NONE, MIGRATE_ON_…, TERMINATE_ON_HOST_MAINTENANCE. */
function appendMaintenance(builder: BatchBuilder, record: Json, captured: bigint): string {
  const { maintenanceEvent, previousMaintenanceEvent, etag } = record;
  const [event, before] = [asText(maintenanceEvent), asText(previousMaintenanceEvent)];
  const isOver = event === 'NONE';
  if (isOver && (before === '' || before === 'NONE')) return '';
  const name = asText(record.name).split('.')[0] ?? '';
  // A number of nineteen digits does not survive JSON: better no id than that of another machine.
  const id = typeof record.id === 'string' || Number.isSafeInteger(record.id) ? asText(record.id) : '';
  if (id === '' && name === '') return 'a metadata server that does not name its machine';
  appendEvent(builder, {
    entity: cloudInstance(builder, id || name, { ids: id === '' ? [] : [name].filter(Boolean), host: name }),
    time_ns: captured,
    type: isOver ? 'host_recovered' : 'maintenance_started',
    severity: isOver ? 'low' : event.startsWith('TERMINATE') ? 'high' : 'medium',
    message: isOver ? `over: ${before}` : event,
    origin: 'gcp_instance_health',
    attributes: { maintenance_event: event, before: before || undefined, etag: asText(etag) || undefined },
    raw: rawText(record),
  });
  return '';
}

function appendInstance(builder: BatchBuilder, record: Json, captured: bigint): string {
  const name = asText(record.name);
  const id = asText(record.id);
  if (name === '' && id === '') return 'an instance without a name';
  const entity = cloudInstance(builder, id || name, { ids: id === '' ? [] : [name].filter(Boolean), host: name });
  const upcoming = asObject(at(record, 'resourceStatus', 'upcomingMaintenance'));
  if (Object.keys(upcoming).length === 0) return '';
  const [start, end] = [cloudTime(upcoming.windowStartTime), cloudTime(upcoming.windowEndTime)];
  const ongoing = upcoming.maintenanceStatus === 'ONGOING';
  const reasons = asList(upcoming.maintenanceReasons).map(asText);
  const failing = reasons.some((reason) => reason.startsWith('FAILURE'));
  if (!ongoing)
    builder.remark('upcoming maintenance has no time of its announcement: dated at the time of the recording');
  appendEvent(builder, {
    entity,
    time_ns: ongoing ? (start ?? captured) : captured,
    type: failing ? 'host_degradation' : ongoing ? 'maintenance_started' : 'maintenance_scheduled',
    severity: failing ? 'high' : ongoing ? 'medium' : 'low',
    message: `${asText(upcoming.type).toLowerCase()} maintenance ${asText(upcoming.maintenanceStatus).toLowerCase()}${reasons.length > 0 ? `: ${reasons.join(', ')}` : ''}`,
    origin: 'gcp_instance_health',
    attributes: {
      reasons,
      window_start_ns: start?.toString(),
      window_end_ns: end?.toString(),
      can_reschedule: upcoming.canReschedule,
    },
    raw: rawText(upcoming),
  });
  return '';
}
