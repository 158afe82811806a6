import { asList, asObject, asText, at, type Json, rawText } from '../bytes/json-access.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { nodeEntity, type Target, timeOf } from './objects.ts';

/** Conditions that are good when True; every other condition of a node reports trouble. */
const goodWhenTrue = new Set(['Ready']);

/** A Node: who it is, since when which conditions hold, and its taints. @returns why it cannot be kept, or '' */
export function appendNodeObject(target: Target, node: Json): string {
  if (asText(at(node, 'metadata', 'name')) === '') return 'a node without a name';
  const entity = nodeEntity(target.builder, node);
  const conditions = asList(at(node, 'status', 'conditions'));
  if (conditions.length === 0)
    target.builder.remark(
      'nodes without conditions: their names, addresses and labels are kept, whether they were ready is not recorded',
    );
  for (const condition of conditions) appendCondition(target, entity, asObject(condition));
  for (const taint of asList(at(node, 'spec', 'taints'))) appendTaint(target, entity, asObject(taint));
  return '';
}

function appendCondition({ builder }: Target, entity: number, condition: Json): void {
  const type = asText(condition.type);
  const status = asText(condition.status);
  const ready = goodWhenTrue.has(type);
  const bad = ready ? status !== 'True' : status === 'True';
  // Only what is wrong, and the moment a node became ready: the other conditions are the absence of news.
  if (!bad && !ready) return;
  const time = timeOf(builder, condition.lastTransitionTime);
  if (time === undefined) return;
  appendEvent(builder, {
    entity,
    time_ns: time,
    type: ready ? (bad ? 'node_not_ready' : 'node_ready') : 'node_condition',
    severity: bad ? (ready ? 'high' : 'medium') : 'low',
    message: `${type} is ${status}: ${asText(condition.message) || asText(condition.reason)}`,
    origin: 'kubernetes',
    attributes: {
      condition: type,
      status,
      reason: asText(condition.reason),
      last_heartbeat: asText(condition.lastHeartbeatTime),
    },
    raw: rawText(condition),
  });
}

function appendTaint({ builder, captured_ns }: Target, entity: number, taint: Json): void {
  const key = asText(taint.key);
  if (key === '') return;
  const added = timeOf(builder, taint.timeAdded);
  if (added === undefined) builder.remark('taints without a time: taken as of the recording');
  appendEvent(builder, {
    entity,
    time_ns: added ?? captured_ns,
    type: 'node_tainted',
    severity: taint.effect === 'NoExecute' ? 'high' : 'medium',
    message: `taint ${key}${taint.value ? `=${asText(taint.value)}` : ''}:${asText(taint.effect)}`,
    origin: 'kubernetes',
    attributes: { key, value: asText(taint.value), effect: asText(taint.effect), time_known: added !== undefined },
    raw: rawText(taint),
  });
}
