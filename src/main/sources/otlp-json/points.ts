import { appendByte, appendDouble } from '../otlp/json-text.ts';
import { MetricWriter, type NumberList, POINT } from '../otlp/metric-writer.ts';
import type { Output } from '../otlp/output.ts';
import { readAttributes } from './any-value.ts';
import {
  AS_DOUBLE,
  AS_INT,
  ATTRIBUTES,
  BUCKET_COUNTS,
  COUNT,
  EXEMPLARS,
  EXPLICIT_BOUNDS,
  FILTERED_ATTRIBUTES,
  FILTERED_LABELS,
  FLAGS,
  LABELS,
  MAX,
  MIN,
  NEGATIVE,
  OFFSET,
  POSITIVE,
  QUANTILE,
  QUANTILE_VALUES,
  SCALE,
  SPAN_ID,
  START_TIME,
  SUM,
  TIME,
  TRACE_ID,
  VALUE,
  ZERO_COUNT,
  ZERO_THRESHOLD,
} from './keys.ts';
import type { JsonLexer } from './lexer.ts';
import { appendInteger, readDouble, readId, readInt32, readUint32, readUint64 } from './numbers.ts';

/** Decodes the data points of all kinds of OTLP/JSON, those from before 0.9 too, into rows. */
export class PointDecoder {
  readonly writer: MetricWriter;
  private readonly lexer: JsonLexer;

  constructor(lexer: JsonLexer, out: Output) {
    this.lexer = lexer;
    this.writer = new MetricWriter(out);
  }

  /** Reads one data point; answers why it cannot be kept, '' when it was. Broken text takes it back and goes on up. */
  read(): string {
    const { lexer, writer } = this;
    lexer.problem = '';
    writer.beginPoint();
    try {
      if (!lexer.enterObject()) lexer.note('data point is not an object');
      else for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) this.field(key);
    } catch (error) {
      writer.rollback();
      throw error;
    }
    const problem = lexer.problem || writer.commit();
    if (problem !== '') writer.rollback();
    return problem;
  }

  private field(key: number): void {
    const { lexer, writer } = this;
    switch (key) {
      case ATTRIBUTES:
      case LABELS:
        return readAttributes(lexer, writer.attributes);
      case START_TIME:
        return readUint64(lexer, writer.halves, POINT.start * 2);
      case TIME:
        return readUint64(lexer, writer.halves, POINT.time * 2);
      case AS_DOUBLE:
      case AS_INT:
      case VALUE:
        writer.value = readDouble(lexer, writer.value);
        return;
      case FLAGS:
        writer.flags = readUint32(lexer);
        return;
      case EXEMPLARS:
        return this.list(() => this.exemplar());
      case COUNT:
        writer.count = readDouble(lexer, 0);
        return;
      case SUM:
        writer.sum = readDouble(lexer, Number.NaN);
        return;
      case MIN:
        writer.min = readDouble(lexer, Number.NaN);
        return;
      case MAX:
        writer.max = readDouble(lexer, Number.NaN);
        return;
      case BUCKET_COUNTS:
        return this.counts(writer.counts);
      case EXPLICIT_BOUNDS:
        return this.list(() => appendDouble(writer.bounds.next(), readDouble(lexer, 0)));
      case SCALE:
        writer.scale = readInt32(lexer);
        return;
      case ZERO_COUNT:
        writer.zeroCount = this.count();
        return;
      case ZERO_THRESHOLD:
        writer.zeroThreshold = readDouble(lexer, 0);
        return;
      case POSITIVE:
        writer.positiveOffset = this.buckets(writer.counts);
        return;
      case NEGATIVE:
        writer.negativeOffset = this.buckets(writer.negativeCounts);
        return;
      case QUANTILE_VALUES:
        return this.list(() => this.quantile());
      default:
        return lexer.skipValue();
    }
  }

  private list(read: () => void): void {
    const { lexer } = this;
    if (!lexer.enterArray()) return;
    for (let more = lexer.firstItem(); more; more = lexer.nextItem()) read();
  }

  private counts(list: NumberList): void {
    this.list(() => appendInteger(this.lexer, list.next()));
  }

  private count(): number {
    const value = readDouble(this.lexer, 0);
    if (value >= 0 && Number.isInteger(value)) return value;
    this.lexer.unreadable(String(value));
    return 0;
  }

  private buckets(list: NumberList): number {
    const { lexer } = this;
    let offset = 0;
    if (!lexer.enterObject()) return offset;
    for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
      if (key === OFFSET) offset = readInt32(lexer);
      else if (key === BUCKET_COUNTS) this.counts(list);
      else lexer.skipValue();
    }
    return offset;
  }

  private quantile(): void {
    const { lexer } = this;
    let quantile = 0;
    let value = 0;
    if (!lexer.enterObject()) return;
    for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
      if (key === QUANTILE) quantile = readDouble(lexer, 0);
      else if (key === VALUE) value = readDouble(lexer, 0);
      else lexer.skipValue();
    }
    const text = this.writer.bounds.next();
    appendByte(text, 0x5b);
    appendDouble(text, quantile);
    appendByte(text, 0x2c);
    appendDouble(text, value);
    appendByte(text, 0x5d);
  }

  private exemplar(): void {
    const { lexer, writer } = this;
    writer.beginExemplar();
    if (!lexer.enterObject()) return;
    for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
      switch (key) {
        case TIME:
          readUint64(lexer, writer.halves, POINT.exemplarTime * 2);
          break;
        case AS_DOUBLE:
        case AS_INT:
        case VALUE:
          writer.exemplarValue = readDouble(lexer, writer.exemplarValue);
          break;
        case SPAN_ID:
          readId(lexer, writer.halves, POINT.exemplarSpan * 2, 8);
          break;
        case TRACE_ID:
          readId(lexer, writer.halves, POINT.exemplarTraceHigh * 2, 16);
          break;
        case FILTERED_ATTRIBUTES:
        case FILTERED_LABELS:
          readAttributes(lexer, writer.exemplarAttributes);
          break;
        default:
          lexer.skipValue();
      }
    }
    writer.commitExemplar();
  }
}
