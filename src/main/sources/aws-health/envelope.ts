import type { Severity } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { asList, asObject, asText, type Json, rawText } from '../bytes/json-access.ts';
import { cloudTime } from '../cloud/cloud-time.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { appendHealthEvent, awsEntity } from './health-event.ts';

const types =
  /^(AWS Health (Abuse )?Event|EC2 Spot Instance Interruption Warning|EC2 Instance (Rebalance Recommendation|State-change Notification))$/;

/** EventBridge's own keys, or those of its PutEvents API (`DetailType`, with the detail as text). */
const detailType = (object: Json): string => asText(object['detail-type']) || asText(object.DetailType);

export const isEnvelope = (value: unknown): boolean => types.test(detailType(asObject(value)));

/** An element of the instance metadata service's `events/maintenance/scheduled`. */
export function isScheduledEvent(value: unknown): boolean {
  const object = asObject(value);
  return 'NotBefore' in object && 'Code' in object && 'EventId' in object;
}

function detailOf(object: Json): Json {
  const { detail, Detail } = object;
  if (typeof Detail !== 'string') return asObject(detail ?? Detail);
  try {
    return asObject(JSON.parse(Detail));
  } catch {
    return {};
  }
}

const states: Readonly<Record<string, readonly [EventType, Severity]>> = {
  'EC2 Spot Instance Interruption Warning': ['host_degradation', 'high'],
  'EC2 Instance Rebalance Recommendation': ['host_degradation', 'low'],
  'EC2 Instance State-change Notification': ['cloud_event', 'low'],
};

/** @returns why it cannot be kept, or '' */
export function appendEnvelope(builder: BatchBuilder, object: Json): string {
  const detail = detailOf(object);
  const kind = detailType(object);
  const resources = asList(object.resources ?? object.Resources).map(asText);
  const time = object.time ?? object.Time;
  if (kind.startsWith('AWS Health')) {
    const descriptions = asList(detail.eventDescription).map(asObject);
    const english = descriptions.find(({ language }) => asText(language).startsWith('en')) ?? descriptions[0];
    const affected = asList(detail.affectedEntities).map((one) => asText(asObject(one).entityValue));
    return appendHealthEvent(builder, {
      arn: asText(detail.eventArn) || asText(object.id),
      service: asText(detail.service),
      code: asText(detail.eventTypeCode),
      category: asText(detail.eventTypeCategory),
      region: asText(detail.eventRegion) || asText(object.region),
      status: asText(detail.statusCode),
      start: detail.startTime,
      end: detail.endTime,
      reportedTime: time,
      description: asText(english?.latestDescription),
      entities: affected.some((name) => name !== '') ? affected : resources,
      raw: rawText(object),
    });
  }
  const reportedTime = cloudTime(time);
  const instance = asText(detail['instance-id']) || resources[0] || '';
  if (reportedTime === undefined || instance === '') return 'an instance event without a time or an instance';
  const [type, severity] = states[kind] ?? (['cloud_event', 'low'] as const);
  const state = asText(detail.state) || asText(detail['instance-action']);
  appendEvent(builder, {
    entity: awsEntity(builder, instance),
    time_ns: reportedTime,
    type,
    severity,
    message: `${kind}${state ? `: ${state}` : ''}`,
    origin: 'aws_health',
    original_id: asText(object.id),
    attributes: { state: state || undefined, region: asText(object.region) || undefined },
    raw: rawText(object),
  });
  return '';
}

/** The metadata service answers on the instance itself and does not name it. @returns why it cannot be kept, or '' */
export function appendScheduledEvent(builder: BatchBuilder, object: Json): string {
  const time = cloudTime(object.NotBefore);
  if (time === undefined) return 'a scheduled event without a time';
  const failing = /retire|degrad/i.test(`${asText(object.Code)} ${asText(object.Description)}`);
  builder.remark('scheduled events of the metadata service do not name their instance');
  appendEvent(builder, {
    entity: -1,
    time_ns: time,
    type: failing ? 'host_degradation' : 'maintenance_scheduled',
    severity: failing ? 'medium' : 'low',
    message: `${asText(object.Code)}: ${asText(object.Description)}`,
    origin: 'aws_health',
    original_id: asText(object.EventId),
    attributes: { state: asText(object.State), not_after: asText(object.NotAfter) || undefined },
    raw: rawText(object),
  });
  return '';
}
