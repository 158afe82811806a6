import { fail } from '../../../model/problem.ts';
import type { Output } from '../otlp/output.ts';
import { excerptOf } from '../traces/attempt.ts';
import { traceId } from '../traces/ids.ts';
import { microsToNanos } from '../traces/micros.ts';
import {
  type Attributes,
  appendSpan,
  attributesJson,
  type NewSpan,
  STATUS_ERROR,
  spanKind,
} from '../traces/span-rows.ts';
import { isMembers, listOf, type Members, serviceOf, textOf } from './format.ts';
import type { SharedSpans } from './shared-spans.ts';

const mappedTags: ReadonlySet<string> = new Set([
  'traceId',
  'id',
  'parentId',
  'name',
  'kind',
  'timestamp',
  'duration',
  'localEndpoint',
  'remoteEndpoint',
  'annotations',
  'tags',
]);

/** The resource of who recorded a span, as JSON object text. */
export function resourceOf(span: Members): string {
  const service = serviceOf(span['localEndpoint']);
  return service === '' ? '' : attributesJson({ 'service.name': service });
}

/**
 * One span on the resource that `out` is in.
 * @throws ProblemError zipkin.span, span.out_of_range
 */
export function appendZipkinSpan(out: Output, record: Members, shared: SharedSpans): void {
  const trace = traceId(record['traceId']) ?? fail('zipkin.span', 'span without a trace id');
  const { span, parent } = shared.place(record);
  const start_ns = microsToNanos(record['timestamp']) || fail('zipkin.span', 'span without a start time');
  const { duration } = record;
  const duration_ns = duration === undefined || duration === null ? undefined : microsToNanos(duration);
  if (duration_ns === undefined && typeof duration === 'string') fail('zipkin.span', 'the duration is no number');
  const tags: Record<string, unknown> = isMembers(record['tags']) ? { ...record['tags'] } : {};
  appendSpan(out, {
    trace,
    span: span ?? fail('zipkin.span', 'span without a span id'),
    parent,
    start_ns,
    duration_ns,
    name: textOf(record['name']),
    kind: spanKind(record['kind']),
    ...takeOutcome(tags),
    attributes: {
      ...tags,
      ...endpoint(record['localEndpoint'], 'network.local'),
      ...endpoint(record['remoteEndpoint'], 'network.peer'),
      ...remoteService(record['remoteEndpoint']),
      ...remaining(record),
    },
    events: listOf(record['annotations']).flatMap((one) => eventOf(one, out)),
  });
}

/** A tag `error` is the mark of a failure, its value the message. */
function takeOutcome(tags: Record<string, unknown>): Pick<NewSpan, 'status' | 'status_message'> {
  if (!Object.hasOwn(tags, 'error')) return { status: 0 };
  const message = textOf(tags['error']);
  if (message.toLowerCase() === 'false') return { status: 0 };
  delete tags['error'];
  return { status: STATUS_ERROR, status_message: message.toLowerCase() === 'true' ? '' : message };
}

function endpoint(value: unknown, prefix: string): Attributes {
  if (!isMembers(value)) return {};
  const address = textOf(value['ipv4']) || textOf(value['ipv6']);
  const { port } = value;
  return {
    ...(address === '' ? {} : { [`${prefix}.address`]: address }),
    ...(typeof port === 'number' && port > 0 ? { [`${prefix}.port`]: port } : {}),
  };
}

const remoteService = (value: unknown): Attributes => {
  const service = serviceOf(value);
  return service === '' ? {} : { 'peer.service': service };
};

function remaining(record: Members): Attributes {
  const rest = Object.entries(record).filter(([key, value]) => !mappedTags.has(key) && value !== null);
  return Object.fromEntries(rest.map(([key, value]) => [`zipkin.${key}`, value]));
}

function eventOf(annotation: unknown, out: Output): NonNullable<NewSpan['events']> {
  const time_ns = isMembers(annotation) ? microsToNanos(annotation['timestamp']) : undefined;
  if (isMembers(annotation) && time_ns !== undefined)
    return [{ time_ns, name: textOf(annotation['value']), attributes: {} }];
  out.reject(0, 'annotation of a span without a time', excerptOf(annotation));
  return [];
}
