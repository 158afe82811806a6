import { fail } from '../../../model/problem.ts';
import type { Output } from '../otlp/output.ts';
import type { Id } from './ids.ts';

export type Attributes = Readonly<Record<string, unknown>>;

/** SpanKind of OpenTelemetry (trace.proto) by its name in lower case. */
const kinds = ['', 'internal', 'server', 'client', 'producer', 'consumer'];
/** 0 for a name that is none. */
export const spanKind = (name: unknown): number =>
  typeof name === 'string' && name !== '' ? Math.max(0, kinds.indexOf(name.toLowerCase())) : 0;

export const STATUS_ERROR = 2;

export interface NewSpan {
  readonly trace: Id;
  readonly span: Id;
  readonly parent?: Id | undefined;
  readonly start_ns: bigint;
  /** Undefined: the recording does not state the duration. */
  readonly duration_ns?: bigint | undefined;
  readonly name: string;
  readonly kind: number;
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number;
  readonly status_message?: string;
  readonly trace_state?: string;
  readonly flags?: number;
  readonly attributes: Attributes;
  readonly events?: readonly { readonly time_ns: bigint; readonly name: string; readonly attributes: Attributes }[];
  readonly links?: readonly { readonly trace: Id; readonly span: Id; readonly attributes: Attributes }[];
}

/** JSON object text for an `attributes` column, whatever the values are; '' when there are none. */
export function attributesJson(attributes: Attributes): string {
  const text = JSON.stringify(attributes, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return text === '{}' ? '' : text;
}

const MAX_NS = 2n ** 63n - 1n;

/**
 * A span with its events and links, on the resource and scope that `out` is in.
 * @throws ProblemError span.out_of_range
 */
export function appendSpan(out: Output, span: NewSpan): void {
  const { batch } = out;
  const { trace, start_ns } = span;
  const end_ns = start_ns + (span.duration_ns ?? 0n);
  if (start_ns <= 0n || end_ns > MAX_NS) fail('span.out_of_range', 'span time is out of range');
  const ids = { trace_hi: trace.hi, trace_lo: trace.lo, span_id: span.span.lo };
  batch.table('span').push({
    ...ids,
    parent_id: span.parent?.lo ?? 0n,
    start_ns,
    end_ns,
    name: batch.name(span.name),
    service: out.serviceCode,
    resource: out.resourceCode,
    scope: out.scopeCode,
    kind: span.kind,
    status: span.status,
    flags: span.flags ?? 0,
    trace_state: span.trace_state ?? '',
    status_message: span.status_message ?? '',
    attributes: attributesJson(span.attributes),
    dropped: 0,
  });
  for (const { time_ns, name, attributes } of span.events ?? [])
    batch.table('span_event').push({ ...ids, time_ns, name: batch.name(name), attributes: attributesJson(attributes) });
  for (const { trace: linked, span: target, attributes } of span.links ?? [])
    batch.table('span_link').push({
      ...ids,
      linked_trace_hi: linked.hi,
      linked_trace_lo: linked.lo,
      linked_span_id: target.lo,
      trace_state: '',
      attributes: attributesJson(attributes),
    });
}
