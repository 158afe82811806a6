import { appendEdge } from '../../../model/rows/records.ts';
import { asObject, asText, at, type Json, rawText } from '../bytes/json-access.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { referenced, type Target, timeOf } from './objects.ts';
import { meaningOfReason } from './reasons.ts';

/**
 * A `core/v1` or `events.k8s.io/v1` Event, whose members are renamed (regarding, note, deprecated*). One with a count is
 * a stretch of time: it is dated at its first occurrence, and the last one is an attribute.
 * @returns why it cannot be kept, or ''
 */
export function appendEventObject({ builder }: Target, event: Json): string {
  const first =
    timeOf(builder, event.firstTimestamp) ??
    timeOf(builder, event.deprecatedFirstTimestamp) ??
    timeOf(builder, event.eventTime);
  const series = asObject(event.series);
  const last =
    timeOf(builder, event.lastTimestamp) ??
    timeOf(builder, event.deprecatedLastTimestamp) ??
    timeOf(builder, series.lastObservedTime);
  const time = first ?? last ?? timeOf(builder, at(event, 'metadata', 'creationTimestamp'));
  if (time === undefined) return 'an event without any time';
  const about = asObject(event.involvedObject ?? event.regarding);
  const entity = referenced(builder, about, asText(at(event, 'metadata', 'namespace')));
  const reason = asText(event.reason);
  const [type, severity] = meaningOfReason(reason, event.type === 'Warning');
  const count = event.count ?? event.deprecatedCount ?? series.count;
  const source = asObject(event.source ?? event.deprecatedSource);
  appendEvent(builder, {
    entity,
    time_ns: time,
    type,
    severity,
    message: `${reason}: ${asText(event.message ?? event.note)}`,
    origin: 'kubernetes',
    original_id: asText(at(event, 'metadata', 'uid')),
    attributes: {
      reason,
      count: typeof count === 'number' && count > 1 ? count : undefined,
      last_time_ns: last !== undefined && last !== time ? String(last) : undefined,
      component:
        asText(source.component) || asText(event.reportingComponent) || asText(event.reportingController) || undefined,
      action: asText(event.action) || undefined,
      field: asText(about.fieldPath) || undefined,
    },
    raw: rawText(event),
  });
  const host = asText(source.host);
  if (host !== '' && about.kind === 'Pod' && entity >= 0) {
    const node = builder.entity('node', host, [{ kind: 'kubernetes_node', name: host }]);
    appendEdge(builder, { from: entity, kind: 'runs_on', to: node, provenance: 'kubernetes event' });
  }
  return '';
}
