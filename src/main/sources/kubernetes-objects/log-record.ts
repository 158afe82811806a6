import { formatUtc, nanos } from '../../../model/time.ts';
import { asObject, type Json } from '../bytes/json-access.ts';
import { isObject, unwatched } from './read-objects.ts';

/** A log record of a collector, as far as it can carry a Kubernetes object. */
export interface ObjectRecord {
  readonly time_ns: bigint;
  readonly body: string;
  readonly isWarning: boolean;
  /** Attributes of the record before those of its resource. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Texts in bodies of the k8sobjects receiver. */
export const objectMarks: readonly string[] = ['"apiVersion":'];

/**
 * The Kubernetes object in a log record of OpenTelemetry's k8sobjects receiver (the object as the body, or within the entry of
 * a watch) or k8s_events receiver (an event as `k8s.event.*` attributes); undefined: none.
 */
export const objectOfRecord = (record: ObjectRecord): Json | undefined =>
  eventOf(record) ?? (record.body.startsWith('{') ? objectOfBody(record.body) : undefined);

function objectOfBody(body: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const object = asObject(unwatched(value));
    if (isObject(object)) return object;
    const inner = asObject(asObject(value).object);
    return isObject(inner) ? inner : undefined;
  } catch {
    return undefined;
  }
}

function eventOf({ time_ns, body, isWarning, attributes }: ObjectRecord): Json | undefined {
  const text = (key: string): string => {
    const value = attributes[key];
    return typeof value === 'string' ? value : '';
  };
  const reason = text('k8s.event.reason');
  if (reason === '') return undefined;
  const pod = text('k8s.pod.name');
  const node = text('k8s.node.name');
  const about =
    text('k8s.object.name') !== ''
      ? { kind: text('k8s.object.kind'), name: text('k8s.object.name'), uid: text('k8s.object.uid') }
      : pod !== ''
        ? { kind: 'Pod', name: pod, uid: text('k8s.pod.uid') }
        : { kind: 'Node', name: node };
  const count = Number(attributes['k8s.event.count']);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      uid: text('k8s.event.uid'),
      namespace: text('k8s.namespace.name'),
      creationTimestamp: formatUtc(nanos(time_ns)),
    },
    involvedObject: { ...about, namespace: about.kind === 'Node' ? '' : text('k8s.namespace.name') },
    reason,
    message: body,
    type: isWarning ? 'Warning' : 'Normal',
    ...(Number.isSafeInteger(count) ? { count } : {}),
    source: { host: node },
  };
}
