import { type Severity, severities } from '../../../model/entity.ts';
import type { TableBuilder, TextBuilder } from '../../../model/rows/batch-builder.ts';
import { readDetailsText } from '../event-details/read-details.ts';
import { NeedleSearch } from '../log-events/needle-search.ts';
import { mayBeLogLine, statedInside } from '../log-lines/joined.ts';
import { mayStateStep, readStep } from '../training-steps/read-step.ts';
import { AttributeText } from './attribute-text.ts';
import type { Output } from './output.ts';
import { eventMarks, RecordEvents } from './record-events.ts';
import { type Attributes, parseAttributes } from './resources.ts';
import { utf8 } from './utf8.ts';

/** Places of the 64-bit fields of a log record in {@link LogWriter.u64}. */
export const LOG = { traceHigh: 0, traceLow: 1, span: 2, time: 3, observed: 4 } as const;

/** Once for all records: a few places of a body are looked at, and nearly none is read. */
const search = new NeedleSearch(eventMarks);
/** How bodies name a trace, and the rank that wrote them. */
const insideSearch = new NeedleSearch([
  'trace_id',
  'traceId',
  'traceID',
  'trace.id',
  'TraceId',
  'TraceID',
  'traceparent',
  '[rank',
  '[Rank',
  '[ rank',
  '[ Rank',
  'lobal rank',
  'lobal_rank',
  'lobal Rank',
  'lobal_Rank',
]);

/** Adds members to the JSON object that a text ends with from `mark` on, or begins one. */
function appendMembers(
  text: TextBuilder,
  mark: number,
  members: Readonly<Record<string, number | string | true>>,
): void {
  const added = JSON.stringify(members).slice(1);
  if (added === '}') return;
  const isNew = text.length === mark;
  if (!isNew) text.length--;
  text.append(`${isNew ? '{' : ','}${added}`);
}

const textOf = (attributes: Attributes, key: string): string =>
  attributes[key] === undefined || attributes[key] === null ? '' : String(attributes[key]);

/** One log record under construction (OTLP logs.proto, `LogRecord`); see {@link SpanWriter} for the protocol. */
export class LogWriter {
  readonly u64 = new BigUint64Array(5);
  readonly i64 = new BigInt64Array(this.u64.buffer);
  readonly halves = new Uint32Array(this.u64.buffer);
  severity = 0;
  severityText = -1;
  eventName = -1;
  flags = 0;
  dropped = 0;
  readonly attributes = new AttributeText();
  body!: TextBuilder;
  private readonly out: Output;
  private readonly events: RecordEvents;
  private generation = -1;
  private logs!: TableBuilder<'log'>;
  private bodyStart = 0;

  constructor(out: Output) {
    this.out = out;
    this.events = new RecordEvents(out);
  }

  begin(): void {
    if (this.generation !== this.out.generation) this.bind();
    this.halves.fill(0);
    this.severity = 0;
    this.severityText = -1;
    this.eventName = -1;
    this.flags = 0;
    this.dropped = 0;
    this.bodyStart = this.body.length;
    this.attributes.begin(this.logs.columns.attributes);
  }

  /** Makes room for a body given twice: the last one counts. */
  clearBody(): void {
    this.body.length = this.bodyStart;
  }

  /** Why the record cannot be kept; '' when it was. `raw` renders the record as found, for physical events. */
  commit(at: number, raw: () => string): string {
    const problem = this.check();
    if (problem !== '') return problem;
    const { u64, i64, out } = this;
    const row = this.logs.next();
    const columns = this.logs.columns;
    columns.time_ns[row] = i64[LOG.time]!;
    columns.observed_ns[row] = i64[LOG.observed]!;
    columns.severity[row] = this.severity;
    columns.severity_text[row] = this.severityText;
    columns.resource[row] = out.resourceCode;
    columns.scope[row] = out.scopeCode;
    columns.trace_hi[row] = u64[LOG.traceHigh]!;
    columns.trace_lo[row] = u64[LOG.traceLow]!;
    columns.span_id[row] = u64[LOG.span]!;
    columns.flags[row] = this.flags;
    columns.dropped[row] = Math.min(this.dropped, 0xffffffff);
    out.closeAttributes(columns.attributes, this.attributes.mark);
    columns.body.endRow();
    if (this.mayStateMore(columns.trace_lo[row]!)) this.lift(row);
    if (mayStateStep(this.body.bytes, this.bodyStart, this.body.length)) this.liftStep();
    columns.attributes.endRow();
    const isEvent = this.attributes.remarkable && this.readRemarkable(at, raw);
    columns.event_name[row] = this.eventName;
    if (
      !isEvent &&
      (this.attributes.isKubernetesEvent || search.isIn(this.body.bytes, this.bodyStart, this.body.length))
    )
      this.readText(at, raw);
    return '';
  }

  rollback(): void {
    this.logs.truncate(this.logs.count);
  }

  /** A collector that passes lines on leaves level and span inside of them; few records are looked into. */
  private mayStateMore(traceLow: bigint): boolean {
    const { body, bodyStart } = this;
    if (this.severity === 0 && mayBeLogLine(body.bytes, bodyStart, body.length)) return true;
    return traceLow === 0n && (this.attributes.namesTrace || insideSearch.isIn(body.bytes, bodyStart, body.length));
  }

  private lift(row: number): void {
    const { columns } = this.logs;
    const text = columns.attributes;
    const attributes = parseAttributes(utf8.decode(text.bytes.subarray(this.attributes.mark, text.length)));
    const body = utf8.decode(this.body.bytes.subarray(this.bodyStart, this.body.length));
    const { context, severity, severity_text, attributes: inText } = statedInside(body, attributes);
    appendMembers(text, this.attributes.mark, inText);
    if (columns.trace_hi[row] === 0n && columns.trace_lo[row] === 0n) {
      columns.trace_hi[row] = context.trace_hi;
      columns.trace_lo[row] = context.trace_lo;
      if (columns.span_id[row] === 0n) columns.span_id[row] = context.span_id;
    }
    if (this.severity !== 0 || severity === 0) return;
    this.severity = severity;
    columns.severity[row] = severity;
    if (this.severityText < 0) columns.severity_text[row] = this.out.batch.name(severity_text);
  }

  private liftStep(): void {
    const { body, bodyStart } = this;
    const step = readStep(utf8.decode(body.bytes.subarray(bodyStart, body.length)));
    if (step) appendMembers(this.logs.columns.attributes, this.attributes.mark, { ...step });
  }

  private check(): string {
    const { halves, u64 } = this;
    // The record's own time is optional: logs.proto defines the observed time as its default.
    if ((halves[6]! | halves[7]!) === 0) u64[LOG.time] = u64[LOG.observed]!;
    if ((halves[6]! | halves[7]!) === 0) return 'log record without a time';
    if ((halves[7]! | halves[9]!) >>> 31 === 1) return 'log time is out of range';
    return '';
  }

  /**
   * An older record names its event in an attribute; a physical event becomes an `event` row as well.
   * @returns whether it is a physical event
   */
  private readRemarkable(at: number, raw: () => string): boolean {
    const text = this.logs.columns.attributes;
    const attributes = parseAttributes(utf8.decode(text.bytes.subarray(this.attributes.mark, text.length)));
    if (this.eventName < 0) this.eventName = this.out.batch.name(textOf(attributes, 'event.name'));
    const type = textOf(attributes, 'faultline.event.type');
    const severityName = textOf(attributes, 'faultline.event.severity');
    if (this.eventName < 0 || type === '' || severityName === '') return false;
    const severity = severities.indexOf(severityName.toLowerCase() as Severity);
    if (severity < 0) {
      this.out.reject(at, `event severity is none of ${severities.join(', ')}: ${severityName}`);
      return true;
    }
    const { batch } = this.out;
    const { body } = this;
    const message = utf8.decode(body.bytes.subarray(this.bodyStart, body.length));
    batch.table('event').push({
      original_id: textOf(attributes, 'faultline.event.id'),
      time_ns: this.i64[LOG.time]!,
      entity: this.out.entityOf(attributes),
      origin: batch.name(textOf(attributes, 'faultline.event.source') || 'otlp'),
      type: batch.name(type),
      severity,
      message,
      details: readDetailsText({ type, message, attributes }),
      attributes: utf8.decode(text.bytes.subarray(this.attributes.mark, text.length)),
      raw: raw(),
    });
    return true;
  }

  private readText(at: number, raw: () => string): void {
    const text = this.logs.columns.attributes;
    const attributes = parseAttributes(utf8.decode(text.bytes.subarray(this.attributes.mark, text.length)));
    const body = utf8.decode(this.body.bytes.subarray(this.bodyStart, this.body.length));
    const time_ns = this.i64[LOG.time]!;
    this.events.read({ time_ns, body, attributes, severity: this.severity, at, raw: raw() });
  }

  private bind(): void {
    this.generation = this.out.generation;
    this.logs = this.out.batch.table('log');
    this.body = this.logs.columns.body;
  }
}
