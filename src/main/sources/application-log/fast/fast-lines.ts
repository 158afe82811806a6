import type { BatchBuilder, TableBuilder, TextBuilder } from '../../../../model/rows/batch-builder.ts';
import { asText } from '../../bytes/json-access.ts';
import { unescapeString } from '../../bytes/unescape.ts';
import { LONGEST_BEGINNING, levelInText } from '../../log-record/level.ts';
import { levelOf } from '../../log-record/lift.ts';
import { readTimeValue } from '../../log-record/moment.ts';
import { isSpanId, isTraceId, readTraceContext } from '../../log-record/trace-context.ts';
import type { WallClocks } from '../../log-record/wall-clocks.ts';
import type { LogRecordWriter, Origin } from '../../log-record/writer.ts';
import { utf8 } from '../../otlp/utf8.ts';
import type { TrainingStep } from '../../training-steps/read-step.ts';
import { BatchCache } from './batch-cache.ts';
import { bodyFacts } from './body-facts.ts';
import { KIND } from './kind.ts';
import { LinePlaces } from './line-places.ts';
import { LineScan } from './line-scan.ts';
import type { ShapePlan } from './shape.ts';
import { TimeBytes } from './time-bytes.ts';
import { appendRange, appendValue, hexWord, isHex, jsonOf } from './value-text.ts';

const [OPEN, CLOSE, COMMA, QUOTE, MINUS, ZERO, LINE_FEED] = [0x7b, 0x7d, 0x2c, 0x22, 0x2d, 0x30, 0x0a];
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);
const RANK_NAME = ascii('"rank":');
const REQUEST_NAME = ascii('"request.id":');
const MOST_RANK_DIGITS = 9;
const [TRACE_DIGITS, SPAN_DIGITS] = [32, 16];
/** Beside a {@link KIND}: there is no value. */
const NO_KIND = 8;
const KINDS = 16;

interface Level {
  readonly severity: number;
  readonly code: number;
}

/** Reads the usual JSON lines straight into rows; the others are left to `Records`, and every row is the one that it would make. */
export class FastLines {
  private readonly builder: BatchBuilder;
  private readonly writer: LogRecordWriter;
  private readonly logs: TableBuilder<'log'>;
  private readonly scan = new LineScan();
  private readonly time: TimeBytes;
  private readonly levels = new BatchCache<Level>();
  private readonly loggers = new BatchCache<number>();
  private readonly origins = new BatchCache<Origin>();
  private readonly places: LinePlaces;
  private halves: Halves;
  private bytes: Uint8Array = new Uint8Array(0);

  constructor(builder: BatchBuilder, writer: LogRecordWriter, clocks: WallClocks) {
    this.builder = builder;
    this.writer = writer;
    this.logs = builder.table('log');
    this.halves = halvesOf(this.logs);
    this.places = new LinePlaces(builder);
    this.time = new TimeBytes((minute) => {
      const instant = clocks.instantOf(minute, builder);
      return instant === undefined ? Number.NaN : Number(instant / 1_000_000_000n);
    });
  }

  /** Behind the line that was added last. */
  get next(): number {
    return this.scan.next;
  }

  /**
   * Adds the row of the line that begins at `from`; false: it is for the general reader, and nothing was added.
   * @param mayStart writes what the general reader has open; whether a row can be added then
   */
  push(bytes: Uint8Array, from: number, end: number, mayStart: () => boolean): boolean {
    const plan = this.scan.scan(bytes, from, end);
    if (!plan) return false;
    this.bytes = bytes;
    if (!mayStart()) return false;
    const row = this.logs.next();
    if (this.halves.column !== this.logs.columns.time_ns) this.halves = halvesOf(this.logs);
    if (this.fill(plan, row)) return true;
    this.logs.truncate(row);
    return false;
  }

  /** Takes back the row that was added last. */
  undo(): void {
    this.logs.truncate(this.logs.count - 1);
  }

  private readTime(slot: number): boolean {
    const { scan, time, bytes } = this;
    const [start, end, kind] = [scan.starts[slot]!, scan.ends[slot]!, scan.kinds[slot]!];
    if (kind === KIND.text && time.readIso(bytes, start, end)) return true;
    if ((kind === KIND.count || kind === KIND.decimal) && time.readCount(bytes, start, end)) return true;
    const moment = readTimeValue(jsonOf(bytes, start, end, kind));
    if (typeof moment !== 'bigint' || moment < 0n) return false;
    time.seconds = Number(moment / 1_000_000_000n);
    time.nanoseconds = Number(moment % 1_000_000_000n);
    return true;
  }

  private fill(plan: ShapePlan, row: number): boolean {
    const { columns } = this.logs;
    const { slotOf } = plan;
    const bodyFrom = columns.body.length;
    if (!this.isDroppable(slotOf.observed) || !this.isDroppable(slotOf.flags)) return false;
    if (!this.appendBody(columns.body, slotOf.body)) return false;
    const keepsException = !this.appendException(columns.body, bodyFrom, slotOf.exception);
    const facts = bodyFacts(columns.body.bytes, bodyFrom, columns.body.length);
    if (!facts) return false;
    const stated = this.levelOf(plan);
    const level = stated?.severity === 0 && stated.code < 0 ? this.levelInBody(columns.body, bodyFrom) : stated;
    const scope = this.scopeOf(slotOf.logger);
    const kept = this.readContext(plan, row, facts.spanText);
    if (!level || scope === undefined || kept < 0) return false;
    columns.observed_ns[row] = 0n;
    columns.severity[row] = level.severity;
    columns.severity_text[row] = level.code;
    columns.event_name[row] = -1;
    columns.scope[row] = scope;
    columns.dropped[row] = 0;
    columns.body.endRow();
    const keep = kept + (keepsException ? KEEP.exception : 0);
    if (!this.appendAttributes(columns.attributes, plan, { keep, step: facts.step })) return false;
    // Last: a broken line must mention and remark nothing.
    if (!this.isNamed(plan) || !this.readTime(slotOf.time)) return false;
    this.time.writeTo(this.halves.time, row * 2);
    const origin = this.originOf(plan, slotOf.rank < 0 ? facts.rank : undefined);
    columns.resource[row] = origin.resource;
    if (plan.places.length > 0) this.places.note(this.bytes, this.scan, plan, origin);
    columns.attributes.endRow();
    return true;
  }

  /** Whether a value that is not read is sound. */
  private isDroppable(slot: number): boolean {
    return slot < 0 || (this.scan.kinds[slot] !== KIND.number && this.scan.kinds[slot] !== KIND.escaped);
  }

  private appendBody(body: TextBuilder, slot: number): boolean {
    if (slot < 0) return true;
    const { bytes, scan } = this;
    const [start, end, kind] = [scan.starts[slot]!, scan.ends[slot]!, scan.kinds[slot]!];
    if (kind === KIND.escaped) return unescapeString(body, bytes, start, end);
    if (kind === KIND.number) return false;
    appendRange(body, bytes, start, end);
    return true;
  }

  /** Adds a stack trace to the body; false: it is an attribute. */
  private appendException(body: TextBuilder, from: number, slot: number): boolean {
    if (slot < 0) return true;
    const { scan } = this;
    const kind = scan.kinds[slot]!;
    if ((kind !== KIND.text && kind !== KIND.escaped) || scan.starts[slot] === scan.ends[slot]) return false;
    const mark = body.length;
    if (mark > from) {
      body.reserve(1)[mark] = LINE_FEED;
      body.length++;
    }
    if (this.appendBody(body, slot)) return true;
    // As an attribute it is refused.
    body.length = mark;
    return false;
  }

  /** Whether the names of what wrote the record, and its rank, are written as usual. */
  private isNamed({ resource, slotOf }: ShapePlan): boolean {
    for (let i = 0; i < resource.length; i++) if (!this.isName(resource[i]!.slot)) return false;
    return slotOf.rank < 0 || this.isRank(slotOf.rank);
  }

  private originOf({ id, resource, slotOf }: ShapePlan, rankInBody: number | undefined): Origin {
    const { bytes, scan, origins, builder } = this;
    const { starts, ends } = scan;
    let key: number;
    let epoch: number;
    do {
      epoch = origins.epoch;
      key = -1 - id;
      for (let i = 0; i < resource.length; i++) {
        const { slot } = resource[i]!;
        key = origins.key(bytes, starts[slot]!, ends[slot]!, key);
      }
      if (slotOf.rank >= 0) key = origins.key(bytes, starts[slotOf.rank]!, ends[slotOf.rank]!, key);
      if (key < 0) key = origins.key(bytes, 0, 0, key);
    } while (epoch !== origins.epoch);
    const known = rankInBody === undefined ? origins.get(key, builder.epoch) : undefined;
    if (known) return known;
    const rank = slotOf.rank < 0 ? rankInBody : Number(this.textAt(slotOf.rank));
    const named = Object.fromEntries(resource.map(({ name, slot }) => [name, this.textAt(slot) ?? '']));
    const origin = this.writer.originOf({ resource: named, rank });
    return rankInBody === undefined ? origins.set(key, origin) : origin;
  }

  private isName(slot: number): boolean {
    const { kinds, starts, ends } = this.scan;
    const kind = kinds[slot];
    return (kind === KIND.text && ends[slot]! > starts[slot]!) || kind === KIND.count || kind === KIND.decimal;
  }

  /** Up to nine digits, as they would be written again. */
  private isRank(slot: number): boolean {
    const { bytes, scan } = this;
    const { kinds, starts, ends } = scan;
    const [start, end, kind] = [starts[slot]!, ends[slot]!, kinds[slot]];
    if ((kind !== KIND.text && kind !== KIND.count) || end === start || end - start > MOST_RANK_DIGITS) return false;
    if (bytes[start] === MINUS || (bytes[start] === ZERO && end - start > 1)) return false;
    for (let at = start; at < end; at++) if (bytes[at]! < ZERO || bytes[at]! > 0x39) return false;
    return true;
  }

  /** undefined: no JSON. */
  private levelOf({ id, slotOf, example }: ShapePlan): Level | undefined {
    const { scan, levels, bytes, builder } = this;
    const { starts, ends, kinds } = scan;
    const [level, number] = [slotOf.level, slotOf.severity_number];
    let key: number;
    let epoch: number;
    do {
      epoch = levels.epoch;
      key =
        level < 0
          ? levels.key(bytes, 0, 0, -1 - (id * KINDS + NO_KIND))
          : levels.key(bytes, starts[level]!, ends[level]!, -1 - (id * KINDS + kinds[level]!));
      if (number >= 0) key = levels.key(bytes, starts[number]!, ends[number]!, key * KINDS + kinds[number]!);
    } while (epoch !== levels.epoch);
    const known = levels.get(key, builder.epoch);
    if (known) return known;
    const [stated, counted] = [this.valueAt(level), this.valueAt(number)];
    if ((level >= 0 && stated === undefined) || (number >= 0 && counted === undefined)) return undefined;
    const { severity, text } = levelOf(stated, counted, example);
    return levels.set(key, { severity, code: builder.name(text) });
  }

  private levelInBody({ bytes, length }: TextBuilder, from: number): Level {
    const beginning = utf8.decode(bytes.subarray(from, Math.min(length, from + LONGEST_BEGINNING * 4)));
    const { severity, text } = levelInText(beginning);
    return { severity, code: this.builder.name(text) };
  }

  /** undefined: no JSON. */
  private scopeOf(slot: number): number | undefined {
    if (slot < 0) return -1;
    const { bytes, scan, loggers, builder } = this;
    const key = loggers.key(bytes, scan.starts[slot]!, scan.ends[slot]!, -1 - scan.kinds[slot]!);
    const known = loggers.get(key, builder.epoch);
    if (known !== undefined) return known;
    const value = this.valueAt(slot);
    return value === undefined ? undefined : loggers.set(key, builder.name(asText(value)));
  }

  /** Writes the span of the record; which ids become attributes as they are none, -1: no JSON. */
  private readContext({ slotOf }: ShapePlan, row: number, spanText: string): number {
    const { columns } = this.logs;
    const { bytes, scan } = this;
    const { starts, ends, kinds } = scan;
    const [traceSlot, spanSlot] = [slotOf.trace, slotOf.span];
    if (slotOf.traceparent < 0 && slotOf.flags < 0) {
      const isText = (slot: number): boolean => slot < 0 || kinds[slot] === KIND.text;
      const traceLength = traceSlot < 0 ? 0 : ends[traceSlot]! - starts[traceSlot]!;
      const spanLength = spanSlot < 0 ? 0 : ends[spanSlot]! - starts[spanSlot]!;
      const isTrace = traceLength === TRACE_DIGITS && isHex(bytes, starts[traceSlot]!, TRACE_DIGITS);
      if (isText(traceSlot) && isText(spanSlot) && (isTrace || (traceLength < TRACE_DIGITS && spanText === ''))) {
        const isSpan = isTrace && spanLength === SPAN_DIGITS && isHex(bytes, starts[spanSlot]!, SPAN_DIGITS);
        const { halves } = this;
        writeHex(halves.traceHigh, row, isTrace, bytes, starts[traceSlot]!);
        writeHex(halves.traceLow, row, isTrace, bytes, starts[traceSlot]! + SPAN_DIGITS);
        writeHex(halves.span, row, isSpan, bytes, starts[spanSlot]!);
        columns.flags[row] = 0;
        return (isTrace || traceLength === 0 ? 0 : KEEP.trace) + (isSpan || spanLength === 0 ? 0 : KEEP.span);
      }
    }
    const trace = this.textAt(traceSlot);
    const span = this.textAt(spanSlot);
    const traceparent = this.textAt(slotOf.traceparent);
    const flags = this.textAt(slotOf.flags);
    if (trace === undefined || span === undefined || traceparent === undefined || flags === undefined) return -1;
    const context = readTraceContext({ trace, span, traceparent, flags }, spanText);
    columns.trace_hi[row] = context.trace_hi;
    columns.trace_lo[row] = context.trace_lo;
    columns.span_id[row] = context.span_id;
    columns.flags[row] = context.flags;
    const keepsTrace = trace !== '' && !isTraceId(trace);
    const keepsSpan = span !== '' && !(isSpanId(span) && isTraceId(trace));
    return (keepsTrace ? KEEP.trace : 0) + (keepsSpan ? KEEP.span : 0);
  }

  private appendAttributes(
    target: TextBuilder,
    { attributes, kept, slotOf }: ShapePlan,
    { keep, step }: { readonly keep: number; readonly step: TrainingStep | undefined },
  ): boolean {
    const mark = target.length;
    for (let i = 0; i < attributes.length; i++) {
      const { name, slot } = attributes[i]!;
      if (!this.appendMember(target, mark, name, slot)) return false;
    }
    if (keep !== 0) {
      for (const role of ['exception', 'trace', 'span'] as const)
        if ((keep & KEEP[role]) !== 0 && !this.appendMember(target, mark, kept[role]!, slotOf[role])) return false;
    }
    const { rank, request } = slotOf;
    if (rank >= 0) {
      appendName(target, mark, RANK_NAME);
      appendRange(target, this.bytes, this.scan.starts[rank]!, this.scan.ends[rank]!);
    }
    if (request >= 0 && !this.appendRequest(target, mark, request)) return false;
    if (step) target.append((target.length > mark ? ',' : '{') + JSON.stringify(step).slice(1, -1));
    if (target.length > mark) {
      target.reserve(1)[target.length] = CLOSE;
      target.length++;
    }
    return true;
  }

  private appendMember(target: TextBuilder, mark: number, name: Uint8Array, slot: number): boolean {
    const { starts, ends, kinds } = this.scan;
    appendName(target, mark, name);
    return appendValue(target, this.bytes, starts[slot]!, ends[slot]!, kinds[slot]!);
  }

  private appendRequest(target: TextBuilder, mark: number, slot: number): boolean {
    const { starts, ends, kinds } = this.scan;
    const kind = kinds[slot]!;
    if (kind === KIND.number) return false;
    if (starts[slot] === ends[slot]) return true;
    if (kind === KIND.text || kind === KIND.escaped) return this.appendMember(target, mark, REQUEST_NAME, slot);
    appendName(target, mark, REQUEST_NAME);
    target.reserve(1)[target.length++] = QUOTE;
    appendRange(target, this.bytes, starts[slot]!, ends[slot]!);
    target.reserve(1)[target.length++] = QUOTE;
    return true;
  }

  /** The value in a slot; undefined: no slot, or no JSON. */
  private valueAt(slot: number): unknown {
    const { starts, ends, kinds } = this.scan;
    return slot < 0 ? undefined : jsonOf(this.bytes, starts[slot]!, ends[slot]!, kinds[slot]!);
  }

  /** As text, '' for no slot; undefined: no JSON. */
  private textAt(slot: number): string | undefined {
    if (slot < 0) return '';
    const { starts, ends, kinds } = this.scan;
    if (kinds[slot] === KIND.text) return utf8.decode(this.bytes.subarray(starts[slot]!, ends[slot]!));
    const value = this.valueAt(slot);
    return value === undefined ? undefined : asText(value);
  }
}

/** Fields that become attributes as their values have no place. */
const KEEP = { exception: 1, trace: 2, span: 4 } as const;

/** Halves of 64-bit columns, the lower one first. */
interface Halves {
  /** The column that they are of: a table that grows has new ones. */
  readonly column: BigInt64Array;
  readonly time: Uint32Array;
  readonly traceHigh: Uint32Array;
  readonly traceLow: Uint32Array;
  readonly span: Uint32Array;
}

function halvesOf({ columns }: TableBuilder<'log'>): Halves {
  const halves = ({ buffer, byteOffset, length }: BigInt64Array | BigUint64Array) =>
    new Uint32Array(buffer, byteOffset, length * 2);
  return {
    column: columns.time_ns,
    time: halves(columns.time_ns),
    traceHigh: halves(columns.trace_hi),
    traceLow: halves(columns.trace_lo),
    span: halves(columns.span_id),
  };
}

/** Writes sixteen hexadecimal digits as a number, or 0. */
function writeHex(halves: Uint32Array, row: number, isThere: boolean, bytes: Uint8Array, start: number): void {
  halves[row * 2] = isThere ? hexWord(bytes, start + 8) : 0;
  halves[row * 2 + 1] = isThere ? hexWord(bytes, start) : 0;
}

/** Appends the name of a member and what separates it from those before. */
function appendName(target: TextBuilder, mark: number, name: Uint8Array): void {
  const buffer = target.reserve(name.length + 1);
  let to = target.length;
  buffer[to] = to === mark ? OPEN : COMMA;
  to++;
  for (let i = 0; i < name.length; i++) buffer[to++] = name[i]!;
  target.length = to;
}
