/** Which span wrote a record: ids as unsigned 64-bit halves, 0n where none is given. */
export interface TraceContext {
  readonly trace_hi: bigint;
  readonly trace_lo: bigint;
  readonly span_id: bigint;
  /** Trace flags of W3C Trace Context. */
  readonly flags: number;
}

export const noContext: TraceContext = { trace_hi: 0n, trace_lo: 0n, span_id: 0n, flags: 0 };

const TRACE = /^[0-9a-fA-F]{32}$/;
const SPAN = /^[0-9a-fA-F]{16}$/;
/** W3C Trace Context, section 3.2: version, trace id, parent id, flags. */
const TRACEPARENT = /\b[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})\b/;
/** `trace_id=0af7...`, `"traceId": "0af7..."`, `trace.id=...` in a text. */
const TRACE_IN_TEXT = /\b(?:otel)?trace[_.]?id["']?\s{0,3}[=:]\s{0,3}["']?([0-9a-f]{32})\b/i;
const SPAN_IN_TEXT = /\b(?:otel)?span[_.]?id["']?\s{0,3}[=:]\s{0,3}["']?([0-9a-f]{16})\b/i;
const IN_TEXT = /trace|span[_.]?id/i;
/** Google's form: `projects/p/traces/0af7...`. */
const PATH = /\/traces\/([0-9a-fA-F]{32})$/;

export interface ContextTexts {
  readonly trace: string;
  readonly span: string;
  readonly traceparent: string;
  readonly flags: string;
}

/** Whether an id is one of W3C Trace Context in size: shorter ids are not padded: how their tracer pads them is unknown. */
export const isTraceId = (text: string): boolean => TRACE.test(text) || PATH.test(text);
export const isSpanId = (text: string): boolean => SPAN.test(text);

/** The context in fields of a record, else in its text. */
export function readTraceContext(fields: ContextTexts, body: string): TraceContext {
  const parent = fields.traceparent === '' ? null : TRACEPARENT.exec(fields.traceparent);
  if (parent) return contextOf(parent[1]!, parent[2]!, parent[3]!);
  const trace = TRACE.test(fields.trace) ? fields.trace : PATH.exec(fields.trace)?.[1];
  if (trace) return contextOf(trace, SPAN.test(fields.span) ? fields.span : '0', fields.flags);
  return IN_TEXT.test(body) ? contextInText(body) : noContext;
}

function contextInText(body: string): TraceContext {
  const trace = TRACE_IN_TEXT.exec(body)?.[1];
  if (trace) return contextOf(trace, SPAN_IN_TEXT.exec(body)?.[1] ?? '0', '');
  const parent = TRACEPARENT.exec(body);
  return parent ? contextOf(parent[1]!, parent[2]!, parent[3]!) : noContext;
}

function contextOf(trace: string, span: string, flags: string): TraceContext {
  return {
    trace_hi: BigInt(`0x${trace.slice(0, 16)}`),
    trace_lo: BigInt(`0x${trace.slice(16)}`),
    span_id: BigInt(`0x${span}`),
    flags: /^[0-9a-f]{1,2}$/i.test(flags) ? Number.parseInt(flags, 16) : 0,
  };
}
