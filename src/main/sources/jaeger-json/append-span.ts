import { fail } from '../../../model/problem.ts';
import type { Output } from '../otlp/output.ts';
import { excerptOf } from '../traces/attempt.ts';
import { type Id, spanId, traceId } from '../traces/ids.ts';
import {
  type Attributes,
  appendSpan,
  attributesJson,
  type NewSpan,
  STATUS_ERROR,
  spanKind,
} from '../traces/span-rows.ts';
import { durationOf, idText, isMembers, listOf, type Members, tagsOf, timeOf } from './format.ts';

/** Members of a span that have a column or are read here; others become attributes. */
const mappedTags: ReadonlySet<string> = new Set([
  'traceID',
  'traceId',
  'spanID',
  'spanId',
  'parentSpanID',
  'flags',
  'operationName',
  'references',
  'startTime',
  'startTimeMillis',
  'duration',
  'tags',
  'tag',
  'logs',
  'process',
  'processID',
]);
/** Names that Jaeger's clients give to process tags, and OpenTelemetry's. */
const processNames: Readonly<Record<string, string>> = { hostname: 'host.name', ip: 'host.ip' };

/** The resource of a process, as JSON object text. */
export function resourceOf(process: unknown): string {
  if (!isMembers(process)) return '';
  const tags = { ...tagsOf(process['tag']), ...tagsOf(process['tags']) };
  const named = Object.entries(tags).map(([key, value]): [string, unknown] => [processNames[key] ?? key, value]);
  const service = process['serviceName'];
  return attributesJson({
    ...(typeof service === 'string' && service !== '' ? { 'service.name': service } : {}),
    ...Object.fromEntries(named),
  });
}

/**
 * One span on the resource that `out` is in.
 * @throws ProblemError jaeger.span, time.*, span.out_of_range
 */
export function appendJaegerSpan(out: Output, record: unknown): void {
  if (!isMembers(record)) return fail('jaeger.span', 'the span is not an object');
  const trace = traceId(idText(record, 'traceID', 'traceId')) ?? fail('jaeger.span', 'span without a trace id');
  const span = spanId(idText(record, 'spanID', 'spanId')) ?? fail('jaeger.span', 'span without a span id');
  const start_ns = timeOf(record['startTime']) || fail('jaeger.span', 'span without a start time');
  const tags: Record<string, unknown> = { ...tagsOf(record['tag']), ...tagsOf(record['tags']) };
  const { parent, links } = references(record, trace);
  const name = record['operationName'];
  const flags = record['flags'];
  const kind = spanKind(tags['span.kind']);
  if (kind > 0) delete tags['span.kind'];
  const outcome = takeOutcome(tags);
  out.enterScope(
    take(tags, 'otel.scope.name', 'otel.library.name'),
    take(tags, 'otel.scope.version', 'otel.library.version'),
    '',
  );
  appendSpan(out, {
    trace,
    span,
    parent,
    start_ns,
    duration_ns: durationOf(record['duration']),
    name: typeof name === 'string' ? name : '',
    kind,
    ...outcome,
    trace_state: take(tags, 'w3c.tracestate'),
    flags: typeof flags === 'number' ? flags >>> 0 : 0,
    attributes: { ...tags, ...remaining(record), ...originals(record, trace, span) },
    events: listOf(record['logs']).flatMap((log) => eventOf(log, out)),
    links,
  });
}

/** Removes the first of these tags that is a text, and answers it. */
function take(tags: Record<string, unknown>, ...keys: readonly string[]): string {
  const key = keys.find((name) => typeof tags[name] === 'string');
  if (key === undefined) return '';
  const value = tags[key] as string;
  delete tags[key];
  return value;
}

/** OpenTelemetry's status where it was exported with the span, else the tag `error` of OpenTracing. */
function takeOutcome(tags: Record<string, unknown>): Pick<NewSpan, 'status' | 'status_message'> {
  const code = take(tags, 'otel.status_code').toUpperCase();
  const described = take(tags, 'otel.status_description');
  const { error } = tags;
  const failed = error === true || (typeof error === 'string' && error !== '' && error.toLowerCase() !== 'false');
  if (failed) delete tags['error'];
  const message = failed && typeof error === 'string' && error.toLowerCase() !== 'true' ? error : '';
  if (failed || code === 'ERROR') return { status: STATUS_ERROR, status_message: described || message };
  return { status: code === 'OK' ? 1 : 0, status_message: described };
}

/** The first CHILD_OF of the same trace is the parent, everything else a link. */
function references(record: Members, trace: Id): { parent: Id | undefined; links: NonNullable<NewSpan['links']> } {
  let parent: Id | undefined;
  const links: { trace: Id; span: Id; attributes: Attributes }[] = [];
  for (const reference of listOf(record['references'])) {
    if (!isMembers(reference)) continue;
    const target = traceId(idText(reference, 'traceID', 'traceId'));
    const span = spanId(idText(reference, 'spanID', 'spanId'));
    if (!target || !span) continue;
    const same = target.hi === trace.hi && target.lo === trace.lo;
    const type = String(reference['refType'] ?? 'CHILD_OF');
    if (!parent && same && type === 'CHILD_OF') parent = span;
    else links.push({ trace: target, span, attributes: { 'opentracing.ref_type': type.toLowerCase() } });
  }
  return { parent: parent ?? spanId(record['parentSpanID']), links };
}

function eventOf(log: unknown, out: Output): NonNullable<NewSpan['events']> {
  const time_ns = isMembers(log) ? timeOf(log['timestamp']) : undefined;
  if (!isMembers(log) || time_ns === undefined) {
    out.reject(0, 'log of a span without a time', excerptOf(log));
    return [];
  }
  const { event, ...fields } = tagsOf(log['fields']);
  return typeof event === 'string'
    ? [{ time_ns, name: event, attributes: fields }]
    : [{ time_ns, name: '', attributes: event === undefined ? fields : { event, ...fields } }];
}

function remaining(record: Members): Record<string, unknown> {
  const rest = Object.entries(record).filter(
    ([key, value]) => !mappedTags.has(key) && value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(rest.map(([key, value]) => [`jaeger.${key}`, value]));
}

/** Ids that had to be hashed stay readable. */
const originals = (record: Members, trace: Id, span: Id): Attributes => ({
  ...(trace.exact ? {} : { 'jaeger.trace_id': record['traceID'] }),
  ...(span.exact ? {} : { 'jaeger.span_id': record['spanID'] }),
});
