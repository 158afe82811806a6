import type { TableBuilder, TextBuilder } from '../../../model/rows/batch-builder.ts';
import { AttributeText } from './attribute-text.ts';
import type { Output } from './output.ts';

/** Places of the 64-bit fields of a span, its event and its link in {@link SpanWriter.u64}. */
export const SPAN = {
  traceHigh: 0,
  traceLow: 1,
  span: 2,
  parent: 3,
  start: 4,
  end: 5,
  eventTime: 6,
  linkTraceHigh: 7,
  linkTraceLow: 8,
  linkSpan: 9,
} as const;

/**
 * One span under construction (OTLP trace.proto, `Span`). Decoders set fields in any order; 64-bit fields are
 * two 32-bit halves of a typed array, so none of them ever becomes a BigInt object; texts go straight into the
 * columns. `commit` makes a row of it, `rollback` takes everything back.
 */
export class SpanWriter {
  readonly u64 = new BigUint64Array(10);
  readonly i64 = new BigInt64Array(this.u64.buffer);
  /** Little-endian halves of `u64`: low at 2n, high at 2n + 1. */
  readonly halves = new Uint32Array(this.u64.buffer);
  name = -1;
  kind = 0;
  status = 0;
  flags = 0;
  dropped = 0;
  eventName = -1;
  readonly attributes = new AttributeText();
  readonly eventAttributes = new AttributeText();
  readonly linkAttributes = new AttributeText();
  traceState!: TextBuilder;
  message!: TextBuilder;
  linkState!: TextBuilder;
  private readonly out: Output;
  private generation = -1;
  private spans!: TableBuilder<'span'>;
  private events!: TableBuilder<'span_event'>;
  private links!: TableBuilder<'span_link'>;
  private firstEvent = 0;
  private firstLink = 0;

  constructor(out: Output) {
    this.out = out;
  }

  begin(): void {
    if (this.generation !== this.out.generation) this.bind();
    this.halves.fill(0);
    this.name = -1;
    this.kind = 0;
    this.status = 0;
    this.flags = 0;
    this.dropped = 0;
    this.firstEvent = this.events.count;
    this.firstLink = this.links.count;
    this.attributes.begin(this.spans.columns.attributes);
  }

  beginEvent(): void {
    this.halves[SPAN.eventTime * 2] = 0;
    this.halves[SPAN.eventTime * 2 + 1] = 0;
    this.eventName = -1;
    this.eventAttributes.begin(this.events.columns.attributes);
  }

  beginLink(): void {
    this.halves.fill(0, SPAN.linkTraceHigh * 2, SPAN.linkSpan * 2 + 2);
    this.linkAttributes.begin(this.links.columns.attributes);
  }

  commitEvent(): void {
    const row = this.events.next();
    const columns = this.events.columns;
    columns.time_ns[row] = this.i64[SPAN.eventTime]!;
    columns.name[row] = this.eventName;
    this.eventAttributes.end();
    columns.attributes.endRow();
  }

  /** Why the link cannot be kept; '' when it was. */
  commitLink(): string {
    const { halves } = this;
    const traced = halves[14]! | halves[15]! | halves[16]! | halves[17]!;
    if (traced === 0 || (halves[18]! | halves[19]!) === 0) return 'span link without a trace and span id';
    const row = this.links.next();
    const columns = this.links.columns;
    columns.linked_trace_hi[row] = this.u64[SPAN.linkTraceHigh]!;
    columns.linked_trace_lo[row] = this.u64[SPAN.linkTraceLow]!;
    columns.linked_span_id[row] = this.u64[SPAN.linkSpan]!;
    columns.trace_state.endRow();
    this.linkAttributes.end();
    columns.attributes.endRow();
    return '';
  }

  rollbackLink(): void {
    this.links.truncate(this.links.count);
  }

  /** Why the span cannot be kept; '' when it was. */
  commit(): string {
    const problem = this.check();
    if (problem !== '') return problem;
    const { u64, i64, out } = this;
    const row = this.spans.next();
    const columns = this.spans.columns;
    columns.trace_hi[row] = u64[SPAN.traceHigh]!;
    columns.trace_lo[row] = u64[SPAN.traceLow]!;
    columns.span_id[row] = u64[SPAN.span]!;
    columns.parent_id[row] = u64[SPAN.parent]!;
    columns.start_ns[row] = i64[SPAN.start]!;
    columns.end_ns[row] = i64[SPAN.end]!;
    columns.name[row] = this.name;
    columns.service[row] = out.serviceCode;
    columns.resource[row] = out.resourceCode;
    columns.scope[row] = out.scopeCode;
    columns.kind[row] = this.kind;
    columns.status[row] = this.status;
    columns.flags[row] = this.flags;
    columns.dropped[row] = Math.min(this.dropped, 0xffffffff);
    out.closeAttributes(columns.attributes, this.attributes.mark);
    columns.attributes.endRow();
    columns.trace_state.endRow();
    columns.status_message.endRow();
    if (this.events.count > this.firstEvent) this.nameEvents();
    if (this.links.count > this.firstLink) this.nameLinks();
    return '';
  }

  rollback(): void {
    this.spans.truncate(this.spans.count);
    this.events.truncate(this.firstEvent);
    this.links.truncate(this.firstLink);
  }

  private check(): string {
    const { halves } = this;
    const traced = halves[0]! | halves[1]! | halves[2]! | halves[3]!;
    if (traced === 0) return 'span without a trace id';
    if ((halves[4]! | halves[5]!) === 0) return 'span without a span id';
    const started = halves[8]! | halves[9]!;
    if (started === 0) return 'span without a start time';
    if ((halves[9]! | halves[11]!) >>> 31 === 1) return 'span time is out of range';
    // A span exported before it ended has no length yet; a zero end would make it run backwards for decades.
    if ((halves[10]! | halves[11]!) === 0) this.u64[SPAN.end] = this.u64[SPAN.start]!;
    return '';
  }

  private nameEvents(): void {
    const columns = this.events.columns;
    for (let row = this.firstEvent; row < this.events.count; row++) {
      columns.trace_hi[row] = this.u64[SPAN.traceHigh]!;
      columns.trace_lo[row] = this.u64[SPAN.traceLow]!;
      columns.span_id[row] = this.u64[SPAN.span]!;
    }
  }

  private nameLinks(): void {
    const columns = this.links.columns;
    for (let row = this.firstLink; row < this.links.count; row++) {
      columns.trace_hi[row] = this.u64[SPAN.traceHigh]!;
      columns.trace_lo[row] = this.u64[SPAN.traceLow]!;
      columns.span_id[row] = this.u64[SPAN.span]!;
    }
  }

  private bind(): void {
    this.generation = this.out.generation;
    this.spans = this.out.batch.table('span');
    this.events = this.out.batch.table('span_event');
    this.links = this.out.batch.table('span_link');
    this.traceState = this.spans.columns.trace_state;
    this.message = this.spans.columns.status_message;
    this.linkState = this.links.columns.trace_state;
  }
}
