import type { Severity } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { cloudInstance } from '../cloud/cloud-instance.ts';
import { cloudTime } from '../cloud/cloud-time.ts';
import { appendEvent } from '../event-details/append-event.ts';

/** One AWS Health event, however it came. */
export interface HealthEvent {
  readonly arn: string;
  readonly service: string;
  readonly code: string;
  /** issue, scheduledChange, accountNotification, investigation. */
  readonly category: string;
  readonly region: string;
  readonly status: string;
  readonly start: unknown;
  readonly end: unknown;
  /** When AWS spoke of it: the envelope's time or the last update. */
  readonly reportedTime: unknown;
  readonly description: string;
  readonly entities: readonly string[];
  readonly raw: string;
}

/** Words in event type codes about failing hardware; codes are an open list, so words decide. */
const failing = /RETIREMENT|DEGRAD|HARDWARE|POWER|COOLING|DRIVE|LOST|CONNECTIVITY|OPERATIONAL_ISSUE|IMPAIR/;

function meaning({ code, category, service }: HealthEvent): readonly [EventType, Severity] {
  // Nothing about machines: bills, certificates, abuse reports.
  if (category === 'accountNotification' || /BILLING|ABUSE/.test(code) || service === 'BILLING')
    return ['cloud_event', 'low'];
  if (category === 'issue') return ['host_degradation', 'high'];
  if (failing.test(code)) return ['host_degradation', category === 'scheduledChange' ? 'medium' : 'high'];
  return category === 'scheduledChange' ? ['maintenance_scheduled', 'low'] : ['cloud_event', 'low'];
}

/** `i-0abc`, or the tail of an ARN; '' for what is no resource. */
const resourceName = (value: string): string => (value === 'UNKNOWN' ? '' : value.split(/[/:]/).at(-1)!);

export function awsEntity(builder: BatchBuilder, value: string): number {
  const name = resourceName(value);
  if (name === '') return -1;
  if (/^i-[0-9a-f]+$/.test(name)) return cloudInstance(builder, name, value === name ? {} : { ids: [value] });
  return builder.entity('device', name);
}

/** One event per affected entity, and one without when none is named. @returns why it cannot be kept, or '' */
export function appendHealthEvent(builder: BatchBuilder, event: HealthEvent): string {
  const [type, severity] = meaning(event);
  const [start, end, reportedTime] = [cloudTime(event.start), cloudTime(event.end), cloudTime(event.reportedTime)];
  // A change is announced before it starts: what happened so far is the announcement.
  const announced =
    reportedTime !== undefined && start !== undefined && reportedTime < start ? reportedTime : undefined;
  const time = event.category === 'issue' ? (start ?? reportedTime) : (announced ?? start ?? reportedTime);
  if (time === undefined) return 'a health event without any time';
  const entities = event.entities.map((value) => awsEntity(builder, value)).filter((entity) => entity >= 0);
  const attributes = {
    code: event.code,
    service: event.service,
    category: event.category,
    region: event.region || undefined,
    status: event.status || undefined,
    start_ns: start === undefined ? undefined : String(start),
    end_ns: end === undefined ? undefined : String(end),
  };
  for (const entity of entities.length > 0 ? entities : [-1]) {
    const common = { entity, origin: 'aws_health', original_id: event.arn, attributes, raw: event.raw };
    appendEvent(builder, {
      ...common,
      time_ns: time,
      type,
      severity,
      message: `${event.code}: ${firstLine(event.description)}`,
    });
    if (event.status === 'closed' && event.category === 'issue' && end !== undefined && end > time)
      appendEvent(builder, {
        ...common,
        time_ns: end,
        type: 'host_recovered',
        severity: 'low',
        message: `${event.code}: closed`,
      });
  }
  return '';
}

const firstLine = (text: string): string => text.trim().split('\n')[0]!.slice(0, 500);
