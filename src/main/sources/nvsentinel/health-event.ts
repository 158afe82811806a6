import type { Severity } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge } from '../../../model/rows/records.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';
import { xidMeaning } from '../../../model/telemetry/xid-catalog.ts';
import { asList, asText, rawText } from '../bytes/json-access.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { actionName, type Documents, type Lowered, lower } from './format.ts';
import { readTime } from './times.ts';

interface Impacted {
  readonly type: string;
  readonly value: string;
}

const impactedOf = (event: Lowered): Impacted[] =>
  asList(event.entitiesimpacted).map((one) => {
    const { entitytype, entityvalue } = lower(one);
    return { type: asText(entitytype).toUpperCase(), value: asText(entityvalue) };
  });

export function nodeOf(builder: BatchBuilder, name: string): number {
  return builder.entity('node', name, [{ kind: 'kubernetes_node', name }]);
}

/** The GPU that all impacted entities name, else the only entity that they name, else the node. */
function subjectOf(builder: BatchBuilder, node: string, impacted: readonly Impacted[]): number {
  const value = (type: string) => impacted.find((one) => one.type === type && one.value !== '')?.value;
  const on = node === '' ? -1 : nodeOf(builder, node);
  const inside = (to: number): number => {
    if (on >= 0) appendEdge(builder, { from: on, kind: 'contains', to, provenance: 'nvsentinel' });
    return to;
  };
  const named = value('GPU');
  const isIndex = named !== undefined && /^\d{1,3}$/.test(named);
  const gpu = identifyGpu({
    host: node || undefined,
    uuid: value('GPU_UUID') ?? (named !== undefined && !isIndex ? named : undefined),
    index: isIndex ? named : undefined,
    pci: value('PCI'),
  });
  if (gpu) return inside(builder.entity('gpu', gpu.id, gpu.aliases));
  const [first] = impacted.filter((one) => one.value !== '');
  if (!first) return on;
  const id = node === '' ? first.value : `${node}/${first.value}`;
  const kind = /^(NIC|NETWORK|IB)/.test(first.type) ? 'nic' : first.type.includes('SWITCH') ? 'switch' : 'device';
  return inside(builder.entity(kind, id));
}

/** Xid numbers among the error codes, for checks about Xids. */
function xidOf(event: Lowered): number | undefined {
  // `SysLogsXIDError` ends a plural; `SysLogsSXIDError` is about the switch.
  if (!/xid/i.test(asText(event.checkname)) || /SX(ID|id)/.test(asText(event.checkname))) return undefined;
  const code = asList(event.errorcode).map((one) => Number(asText(one)))[0];
  return code !== undefined && Number.isInteger(code) && code > 0 ? code : undefined;
}

/** A health event, and what NVSentinel did about it. @returns why it cannot be kept, or '' */
export function appendHealthEvent(
  builder: BatchBuilder,
  { event, status, envelope }: Documents,
  fallback_ns: bigint,
): string {
  if (!event) return 'no health event';
  const node = asText(event.nodename);
  const stated = readTime(event.generatedtimestamp) ?? readTime(envelope.createdat) ?? readTime(envelope.time);
  if (stated === undefined) builder.remark('health events without a time: taken as of the recording');
  const time = stated ?? fallback_ns;
  const entity = subjectOf(builder, node, impactedOf(event));
  if (entity < 0) return 'a health event about nothing that has a name';
  const xid = xidOf(event);
  const healthy = event.ishealthy === true;
  const type: EventType = healthy ? 'health_check_passed' : xid === undefined ? 'health_check_failed' : 'xid_error';
  const severity: Severity = healthy ? 'low' : event.isfatal === true ? 'critical' : 'medium';
  const state = asText(status.nodequarantined);
  const drain = asText(lower(status.userpodsevictionstatus).status);
  appendEvent(builder, {
    entity,
    time_ns: time,
    type,
    severity,
    message: asText(event.message) || asText(event.checkname),
    origin: 'nvsentinel',
    original_id: asText(lower(envelope._id ?? envelope.id).$oid) || asText(envelope._id ?? envelope.id),
    attributes: {
      agent: asText(event.agent) || undefined,
      component: asText(event.componentclass) || undefined,
      check: asText(event.checkname),
      fatal: event.isfatal === true,
      healthy,
      recommended_action: actionName(event.recommendedaction) || undefined,
      error_codes: asList(event.errorcode).map(asText),
      entities: impactedOf(event).map((one) => `${one.type}:${one.value}`),
      ...(xid === undefined ? {} : { xid, class: xidMeaning(xid)?.class }),
      quarantine: state || undefined,
      drain: drain || undefined,
      time_known: stated !== undefined,
      metadata: event.metadata ?? undefined,
    },
    raw: rawText(event),
  });
  if (node !== '') appendActions(builder, { node: nodeOf(builder, node), status, time, state, drain });
  return '';
}

interface Actions {
  readonly node: number;
  readonly status: Lowered;
  readonly time: bigint;
  readonly state: string;
  readonly drain: string;
}

/** NVSentinel keeps only that it acted, not when: the health event's time is the earliest it can have been. */
function appendActions(builder: BatchBuilder, { node, status, time, state, drain }: Actions): void {
  const act = (type: EventType, severity: Severity, message: string, at = time, known = false): void =>
    appendEvent(builder, {
      entity: node,
      time_ns: at,
      type,
      severity,
      message,
      origin: 'nvsentinel',
      attributes: known ? {} : { not_before: true },
    });
  if (/^(Already)?Quarantined$/i.test(state)) act('node_quarantined', 'high', `quarantine: ${state}`);
  if (/^UnQuarantined$/i.test(state)) act('node_unquarantined', 'low', `quarantine: ${state}`);
  if (/^(Succeeded|AlreadyDrained)$/i.test(drain)) act('node_drained', 'high', `drain: ${drain}`);
  if (/^InProgress$/i.test(drain)) act('node_draining', 'medium', `drain: ${drain}`);
  if (/^Failed$/i.test(drain)) act('node_drain_failed', 'high', `drain: ${drain}`);
  const remediated = readTime(status.lastremediationtimestamp);
  if (status.faultremediated === true || remediated !== undefined)
    act('node_remediated', 'medium', 'a repair action ran', remediated ?? time, remediated !== undefined);
}
