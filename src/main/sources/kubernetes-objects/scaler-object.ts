import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { asList, asObject, asText, at, type Json, rawText } from '../bytes/json-access.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { referenced, type Target, timeOf } from './objects.ts';

/**
 * A HorizontalPodAutoscaler (`autoscaling/v2`): since when it wants more replicas than it may run, since when it cannot scale or measure, and
 * when it scaled last. Source: https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/
 * @returns why it cannot be kept, or ''
 */
export function appendScalerObject(target: Target, scaler: Json): string {
  const name = asText(at(scaler, 'metadata', 'name'));
  if (name === '') return 'an autoscaler without a name';
  const namespace = asText(at(scaler, 'metadata', 'namespace'));
  const entity = referenced(target.builder, { kind: 'HorizontalPodAutoscaler', name, namespace });
  const scaled = asText(at(scaler, 'spec', 'scaleTargetRef', 'name'));
  const { currentReplicas, desiredReplicas, lastScaleTime } = asObject(scaler['status']);
  const attributes = {
    scales: scaled === '' ? undefined : [namespace, scaled].filter(Boolean).join('/'),
    replicas: countOf(currentReplicas),
    replicas_wanted: countOf(desiredReplicas),
    replicas_limit: countOf(at(scaler, 'spec', 'maxReplicas')),
  };
  for (const condition of asList(at(scaler, 'status', 'conditions')).map(asObject))
    appendCondition(target, condition, { entity, attributes });
  const scaled_ns = timeOf(target.builder, lastScaleTime);
  if (scaled_ns !== undefined)
    appendEvent(target.builder, {
      entity,
      time_ns: scaled_ns,
      type: 'replicas_changed',
      severity: 'low',
      message: `scaled last; ${attributes.replicas_wanted ?? 'an unknown number of'} replicas are wanted`,
      origin: 'kubernetes',
      attributes,
      raw: rawText(scaler['status']),
    });
  return '';
}

const countOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

interface Scaler {
  readonly entity: number;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
}

/** It holds from its time until the object was captured. */
function appendCondition({ builder, captured_ns }: Target, condition: Json, { entity, attributes }: Scaler): void {
  const type = typeOf(condition);
  const time = timeOf(builder, condition['lastTransitionTime']);
  if (type === null || time === undefined) return;
  const reason = asText(condition['reason']);
  appendEvent(builder, {
    entity,
    time_ns: time,
    type,
    severity: 'medium',
    message: [reason, asText(condition['message'])].filter(Boolean).join(': '),
    origin: 'kubernetes',
    attributes: {
      ...attributes,
      condition: asText(condition['type']),
      reason,
      last_time_ns: captured_ns > time ? String(captured_ns) : undefined,
    },
    raw: rawText(condition),
  });
}

/** null: nothing is wrong. Nothing is scaled to or from zero replicas that somebody set. */
function typeOf({ type, status, reason }: Json): EventType | null {
  if (type === 'ScalingLimited') return status === 'True' && reason === 'TooManyReplicas' ? 'scaling_limited' : null;
  const mayScale = type === 'ScalingActive' || type === 'AbleToScale';
  return mayScale && status === 'False' && reason !== 'ScalingDisabled' ? 'scaling_failed' : null;
}
