import { nearestName } from '../../../base/nearest-name.ts';
import { type EntityKind, entityKinds, type Severity } from '../../../model/entity.ts';
import { fail } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, appendSample } from '../../../model/rows/records.ts';
import { eventTypes, isEventType } from '../../../model/telemetry/event-catalog.ts';
import { isMetricName } from '../../../model/telemetry/metric.ts';
import type { EdgeKind } from '../../../model/topology.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { LogEvents } from '../log-events/log-events.ts';

/** Spans of `request` lines that a file may hold: a line of a few characters stands for many. */
const MOST_REQUEST_SPANS = 200_000;

interface NewSpan {
  readonly service: number;
  readonly name: string;
  /** Seconds after the start of the recording. */
  readonly from: number;
  readonly to: number;
  /** As in OTLP: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  /** Of the resource. */
  readonly resource?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly attributes?: string;
  readonly failed?: boolean;
  readonly parent?: SpanIds | undefined;
}

interface SpanIds {
  readonly trace: bigint;
  readonly span: bigint;
}

/** Rows of a recording written by hand; each method takes the parts of a line and refuses what they cannot mean. */
export class WrittenRows {
  private readonly builder: BatchBuilder;
  private readonly start_ns: bigint;
  private readonly logEvents: LogEvents;
  private lastSpan = 0n;
  private requestSpans = 0;

  constructor(builder: BatchBuilder, start_ns: bigint) {
    this.builder = builder;
    this.start_ns = start_ns;
    this.logEvents = new LogEvents(builder);
  }

  private at(second: number | string): bigint {
    return this.start_ns + BigInt(Math.round(Number(second) * 1e9));
  }

  private entity(kind = '', id = ''): number {
    if (kind === '') return -1;
    if (entityKinds.includes(kind as EntityKind)) return this.builder.entity(kind as EntityKind, id);
    return fail('row.kind', `"${kind}" is no entity kind, the nearest is ${nearestName(kind, entityKinds)}`);
  }

  private resource(entity: number, attributes: Readonly<Record<string, string>> = {}): number {
    return this.builder.resource({ entity, attributes: JSON.stringify(attributes), schema_url: '' });
  }

  edge([kind, id, edge, toKind, toId]: readonly string[]): void {
    const [from, to] = [this.entity(kind, id), this.entity(toKind, toId)];
    appendEdge(this.builder, { from, kind: edge as EdgeKind, to, provenance: 'written by hand' });
  }

  event([second = '', kind, id, type = '', severity, origin = '', rest = '']: readonly string[]): void {
    if (!isEventType(type))
      fail('row.event_type', `"${type}" is no event type, the nearest is ${nearestName(type, eventTypes)}`);
    const { message, attributes } = messageOf(rest);
    const entity = this.entity(kind, id);
    const own = { time_ns: this.at(second), severity: severity as Severity };
    appendEvent(this.builder, { ...own, entity, type, origin, message, attributes });
  }

  samples([metric = '', kind, id, every, from = '0', values = '']: readonly string[]): void {
    const entity = this.entity(kind, id);
    const own = isMetricName(metric) ? metric : { name: metric, unit: '1' };
    for (const [i, value] of numbers(values).entries()) {
      const time_ns = this.at(Number(from) + i * Number(every));
      appendSample(this.builder, { entity, metric: own, time_ns, value });
    }
  }

  durations([metric = '', kind, id, every, values = '']: readonly string[]): void {
    const series = this.builder.series({
      metric,
      kind: 'histogram',
      entity: this.entity(kind, id),
      resource: -1,
      unit: 'us',
      description: '',
      temporality: 1,
      monotonic: false,
      attributes: kind === 'rank' ? JSON.stringify({ rank: id?.replace(/^.*-/, '') }) : '',
    });
    for (const [i, value] of values.trim().split(/\s+/).entries()) {
      const [count = 0, mean = Number.NaN] = numbers(value.replace('x', ' '));
      if (!Number.isSafeInteger(count) || count < 0 || Number.isNaN(mean))
        fail('row.value', `"${value}" is not COUNTxMEAN`);
      const own = { series, start_ns: 0n, time_ns: this.at(i * Number(every)), count, sum: count * mean };
      this.builder.table('distribution').push({ ...own, min: Number.NaN, max: Number.NaN, detail: '' });
    }
  }

  log([second = '', kind, id, body = '']: readonly string[]): void {
    const entity = this.entity(kind, id);
    const time_ns = this.at(second);
    this.builder.table('log').push({
      time_ns,
      observed_ns: 0n,
      severity: 9,
      severity_text: -1,
      event_name: -1,
      resource: entity < 0 ? -1 : this.resource(entity),
      scope: -1,
      trace_hi: 0n,
      trace_lo: 0n,
      span_id: 0n,
      flags: 0,
      body,
      attributes: '',
      dropped: 0,
    });
    const isServer = kind === 'server';
    const record = { time_ns, text: body, raw: body, gpu_uuid: '', writer: 'unknown' as const, origin: 'otlp' };
    const sender = { host: isServer ? (id ?? '') : '', machine: isServer ? entity : -1, sender: entity };
    this.logEvents.append({ ...record, ...sender });
  }

  span([from, to, kind, id, version, name = '']: readonly (string | undefined)[]): void {
    const service = this.entity(kind, id);
    const resource = version ? { 'service.version': version } : {};
    this.push({ service, name, from: Number(from), to: Number(to), resource, kind: 1 });
  }

  /** One that starts every so many seconds. */
  spans([from, to, kind, id, every, took, replica, rest = '']: readonly (string | undefined)[]): void {
    const [first, end, step] = [Number(from), Number(to), Number(every)];
    if (!(step > 0)) fail('row.time', 'spans need a time between them');
    this.count((end - first) / step);
    const service = this.entity(kind, id);
    const { message: name, attributes } = messageOf(rest);
    const own = {
      ...{ service, name, kind: 2, attributes: JSON.stringify(attributes) },
      resource: replica ? { 'service.instance.id': replica } : {},
    };
    for (let i = 0; first + i * step < end; i++) {
      const start = first + i * step;
      this.push({ ...own, from: start, to: start + Number(took) });
    }
  }

  private count(spans: number): void {
    this.requestSpans += Math.max(0, spans);
    if (this.requestSpans > MOST_REQUEST_SPANS)
      fail('row.too_many', `the requests of this file are more than ${MOST_REQUEST_SPANS} spans`);
  }

  requests([from = '', to = '', caller, callee = '', calls = '']: readonly string[]): void {
    const [first, end] = [Number(from), Number(to)];
    this.count((end - first) * (1 + 2 * calls.length));
    const service = this.entity('service', caller);
    for (let second = first; second < end; second++) {
      const parent = this.push({ service, name: 'GET /', from: second, to: second + 0.5, kind: 2 });
      for (const [i, call] of [...calls].entries()) {
        const start = second + 0.1 * (i / calls.length) * 4;
        const own = { from: start, to: start + 0.01, failed: call === '!' };
        const client = this.push({ ...own, service, name: 'call', kind: 3, parent });
        if (callee !== '?')
          this.push({ ...own, service: this.entity('service', callee), name: 'answer', kind: 2, parent: client });
      }
    }
  }

  private push({
    service,
    name,
    from,
    to,
    kind,
    resource = {},
    attributes = '',
    failed = false,
    parent,
  }: NewSpan): SpanIds {
    if (to < from) fail('row.time', 'the end is before the start');
    const span = ++this.lastSpan;
    const trace = parent?.trace ?? span;
    this.builder.table('span').push({
      trace_hi: trace,
      trace_lo: trace,
      span_id: span,
      parent_id: parent?.span ?? 0n,
      start_ns: this.at(from),
      end_ns: this.at(to),
      name: this.builder.name(name),
      service,
      resource: this.resource(service, resource),
      scope: -1,
      kind,
      status: failed ? 2 : 0,
      flags: 0,
      trace_state: '',
      status_message: '',
      attributes,
      dropped: 0,
    });
    return { trace, span };
  }

  collective([group = '', sequence = '', operation = '', entries = '']: readonly string[]): void {
    const [text = '', ranks = ''] = entries.split('; ranks ');
    const entered = text.trim().split(/\s+/).map(rankTimes);
    for (const { rank, from, to } of entered)
      this.builder.table('collective').push({
        rank: this.builder.entity('rank', `rank-${rank}`),
        group_id: this.builder.name(group),
        group_name: this.builder.name(group),
        group_ranks: ranks === '' ? -1 : this.builder.name(ranks),
        sequence: BigInt(sequence),
        p2p_sequence: -1n,
        operation: this.builder.name(operation),
        state: this.builder.name(to === '' ? 'started' : 'completed'),
        created_ns: this.at(from),
        started_ns: this.at(from),
        completed_ns: to === '' ? 0n : this.at(to),
        dtype: this.builder.name('float'),
        input_sizes: '[[1]]',
        output_sizes: '[[1]]',
        attributes: '',
      });
  }
}

function rankTimes(entry: string): { readonly rank: string; readonly from: string; readonly to: string } {
  const match = /^(\d{1,9})=(\d{1,8}(?:\.\d{1,9})?)\.\.(\d{1,8}(?:\.\d{1,9})?)?$/.exec(entry);
  if (!match) return fail('row.value', `"${entry.slice(0, 40)}" is not RANK=ENTERED..LEFT`);
  const [, rank = '', from = '', to = ''] = match;
  return { rank, from, to };
}

function numbers(text: string): number[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) =>
      /^-?\d{1,15}(?:\.\d{1,15})?$/.test(word) ? Number(word) : fail('row.value', `"${word}" is no number`),
    );
}

/** `Xid 79 {"xid":79}`: the attributes begin at the first brace after a space, and end the line. */
function messageOf(text: string): { readonly message: string; readonly attributes: Record<string, unknown> } {
  const open = text.endsWith('}') ? ` ${text}`.indexOf(' {') : -1;
  if (open < 0) return { message: text, attributes: {} };
  try {
    const attributes = JSON.parse(text.slice(open)) as Record<string, unknown>;
    return { message: text.slice(0, open).trimEnd(), attributes };
  } catch {
    return fail('row.attributes', `the attributes are not JSON`);
  }
}
