import { type EntityKind, entityKinds, severities } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { readAttributes } from '../../../model/rows/records.ts';
import { type SeriesKind, seriesKinds } from '../../../model/rows/rows.ts';
import { readDetailsText } from '../event-details/read-details.ts';
import { spanId, traceId } from '../traces/ids.ts';
import { attributesJson } from '../traces/span-rows.ts';
import type { Clock } from './clock.ts';
import { isMembers, type Members, type TraceEvent } from './format.ts';
import type { Tracks } from './tracks.ts';

const spanKinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const statuses = ['unset', 'ok', 'error'];
/** The case itself creates rows of this origin (core/store/derived-events.ts). */
const DERIVED = 'derived';

/** Converts events that Faultline exported back into their rows. Other events are left out. */
export class OwnRows {
  private readonly tracks: Tracks;
  private readonly clock: Clock;

  constructor(tracks: Tracks, clock: Clock) {
    this.tracks = tracks;
    this.clock = clock;
  }

  /** Whether the event was one of ours; then it is a row now. */
  take(builder: BatchBuilder, event: TraceEvent): boolean {
    const { phase, category, args } = event;
    if (phase === 'counter') return this.point(builder, event);
    if (phase === 'complete') return this.span(builder, event);
    if (phase !== 'instant') return false;
    return category === 'span event'
      ? this.addEvent(builder, event)
      : category === 'event' && this.event(builder, event, args);
  }

  private span(builder: BatchBuilder, { name, pid, ts, dur, args }: TraceEvent): boolean {
    const ids = idsOf(args);
    const start_ns = timeOf(args['start_time_unix_nano']) ?? this.clock.at(ts);
    const end_ns = timeOf(args['end_time_unix_nano']) ?? this.clock.at(ts + (Number.isNaN(dur) ? 0 : dur));
    if (!ids || start_ns === undefined || end_ns === undefined) return false;
    const process = this.tracks.stated.get(pid) ?? {};
    builder.table('span').push({
      ...ids,
      parent_id: spanId(args['parent_span_id'])?.lo ?? 0n,
      start_ns,
      end_ns,
      name: builder.name(name),
      service: entityOf(builder, process['entity']),
      resource: resourceOf(builder, process['resource']),
      scope: builder.name(textOf(args['scope'])),
      kind: Math.max(0, spanKinds.indexOf(textOf(args['kind']))),
      status: Math.max(0, statuses.indexOf(textOf(args['status']))),
      flags: countOf(args['flags']),
      trace_state: textOf(args['trace_state']),
      status_message: textOf(args['status_message']),
      attributes: attributesOf(args),
      dropped: countOf(args['dropped']),
    });
    for (const link of Array.isArray(args['links']) ? (args['links'] as unknown[]) : []) {
      const to = isMembers(link) ? idsOf(link) : undefined;
      if (!to || !isMembers(link)) continue;
      builder.table('span_link').push({
        ...ids,
        linked_trace_hi: to.trace_hi,
        linked_trace_lo: to.trace_lo,
        linked_span_id: to.span_id,
        trace_state: textOf(link['trace_state']),
        attributes: attributesOf(link),
      });
    }
    return true;
  }

  private addEvent(builder: BatchBuilder, { name, ts, args }: TraceEvent): boolean {
    const ids = idsOf(args);
    const time_ns = timeOf(args['time_unix_nano']) ?? this.clock.at(ts);
    if (!ids || time_ns === undefined) return false;
    builder.table('span_event').push({ ...ids, time_ns, name: builder.name(name), attributes: attributesOf(args) });
    return true;
  }

  private event(builder: BatchBuilder, { name, ts }: TraceEvent, args: Members): boolean {
    const time_ns = timeOf(args['time_unix_nano']) ?? this.clock.at(ts);
    if (time_ns === undefined) return false;
    if (args['origin'] === DERIVED) {
      builder.remark('events that samples showed are left out: they are made anew of the samples that are in the case');
      return true;
    }
    const severity = severities.indexOf(textOf(args['severity']) as never);
    const [message, attributes] = [textOf(args['message']), attributesOf(args)];
    builder.table('event').push({
      original_id: textOf(args['original_id']),
      time_ns,
      entity: entityOf(builder, args['entity']),
      origin: builder.name(textOf(args['origin'])),
      type: builder.name(name),
      severity: severity < 0 ? severities.indexOf('low') : severity,
      message,
      attributes,
      raw: textOf(args['raw']),
      details: readDetailsText({ type: name, message, attributes: readAttributes(attributes) }),
    });
    return true;
  }

  private point(builder: BatchBuilder, { name, pid, ts, args, record }: TraceEvent): boolean {
    const statedTrack = this.tracks.stated.get(`${pid}\n${name}`);
    const ownMembers = isMembers(record['faultline']) ? record['faultline'] : {};
    const time_ns = timeOf(ownMembers['time_unix_nano']) ?? this.clock.at(ts);
    const { value } = args;
    if (!statedTrack || time_ns === undefined || typeof value !== 'number') return false;
    const { temporality } = statedTrack;
    const series = builder.series({
      metric: textOf(statedTrack['metric']),
      kind: seriesKinds.find((kind): kind is SeriesKind => kind === statedTrack['kind']) ?? 'gauge',
      entity: entityOf(builder, this.tracks.stated.get(pid)?.['entity']),
      resource: resourceOf(builder, statedTrack['resource']),
      unit: textOf(statedTrack['unit']),
      description: textOf(statedTrack['description']),
      temporality: temporality === 1 || temporality === 2 ? temporality : 0,
      monotonic: statedTrack['monotonic'] === 1,
      attributes: jsonOf(statedTrack['attributes']),
    });
    const start_ns = timeOf(ownMembers['start_time_unix_nano']) ?? 0n;
    builder.table('point').push({ series, start_ns, time_ns, value });
    return true;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32 ? value : 0;
const attributesOf = ({ attributes }: Members): string => (isMembers(attributes) ? attributesJson(attributes) : '');

const MAX_NS = 2n ** 63n - 1n;

function timeOf(value: unknown): bigint | undefined {
  const time = typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined;
  return time !== undefined && time <= MAX_NS && time >= -MAX_NS ? time : undefined;
}

/** Both, as the recording had them. */
function idsOf(args: Members) {
  const trace = traceId(args['trace_id']);
  const span = spanId(args['span_id']);
  return trace?.exact && span?.exact ? { trace_hi: trace.hi, trace_lo: trace.lo, span_id: span.lo } : undefined;
}

/** `pdu:PDU-B` */
function entityOf(builder: BatchBuilder, key: unknown): number {
  const [, kind = '', id = ''] = /^([a-z]+):(.+)$/s.exec(textOf(key)) ?? [];
  return entityKinds.includes(kind as EntityKind) ? builder.entity(kind as EntityKind, id) : -1;
}

function resourceOf(builder: BatchBuilder, stated: unknown): number {
  if (!isMembers(stated)) return -1;
  return builder.resource({
    entity: entityOf(builder, stated['entity']),
    attributes: jsonOf(stated['attributes']),
    schema_url: textOf(stated['schema_url']),
  });
}

/** JSON object text as it was; anything else is nothing. */
function jsonOf(value: unknown): string {
  try {
    return isMembers(JSON.parse(textOf(value))) ? textOf(value) : '';
  } catch {
    return '';
  }
}
