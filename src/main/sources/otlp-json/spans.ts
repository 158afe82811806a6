import type { AttributeText } from '../otlp/attribute-text.ts';
import type { Output } from '../otlp/output.ts';
import { SPAN, SpanWriter } from '../otlp/span-writer.ts';
import { readAttributes } from './any-value.ts';
import {
  ATTRIBUTES,
  CODE,
  DROPPED_ATTRIBUTES,
  DROPPED_EVENTS,
  DROPPED_LINKS,
  END_TIME,
  EVENTS,
  FLAGS,
  KIND,
  LINKS,
  MESSAGE,
  NAME,
  PARENT_SPAN_ID,
  SPAN_ID,
  START_TIME,
  STATUS,
  TIME,
  TRACE_ID,
  TRACE_STATE,
} from './keys.ts';
import type { JsonLexer } from './lexer.ts';
import { readEnum, readId, readUint32, readUint64 } from './numbers.ts';

const kinds = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const codes = ['UNSET', 'OK', 'ERROR'];

/** Decodes `Span` objects of OTLP/JSON into rows. */
export class SpanDecoder {
  private readonly lexer: JsonLexer;
  private readonly out: Output;
  private readonly writer: SpanWriter;
  private base = 0;

  constructor(lexer: JsonLexer, out: Output) {
    this.lexer = lexer;
    this.out = out;
    this.writer = new SpanWriter(out);
  }

  /** Reads one span; answers why it cannot be kept, '' when it was. Broken text takes the span back and goes on up. */
  read(base: number): string {
    const { lexer, writer } = this;
    this.base = base;
    lexer.problem = '';
    writer.begin();
    try {
      if (!lexer.enterObject()) lexer.note('span is not an object');
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
      case TRACE_ID:
        return readId(lexer, writer.halves, SPAN.traceHigh * 2, 16);
      case SPAN_ID:
        return readId(lexer, writer.halves, SPAN.span * 2, 8);
      case PARENT_SPAN_ID:
        return readId(lexer, writer.halves, SPAN.parent * 2, 8);
      case START_TIME:
        return readUint64(lexer, writer.halves, SPAN.start * 2);
      case END_TIME:
        return readUint64(lexer, writer.halves, SPAN.end * 2);
      case ATTRIBUTES:
        return readAttributes(lexer, writer.attributes);
      case NAME:
        writer.name = this.name();
        return;
      case KIND:
        writer.kind = readEnum(lexer, kinds);
        return;
      case FLAGS:
        writer.flags = readUint32(lexer);
        return;
      case DROPPED_ATTRIBUTES:
      case DROPPED_EVENTS:
      case DROPPED_LINKS:
        writer.dropped += readUint32(lexer);
        return;
      case TRACE_STATE:
        return lexer.appendPlain(writer.traceState);
      case STATUS:
        return this.status();
      case EVENTS:
        return this.list(() => this.event());
      case LINKS:
        return this.list(() => this.link());
      default:
        return lexer.skipValue();
    }
  }

  private name(): number {
    const { lexer } = this;
    return lexer.readString() ? this.out.nameOf(lexer.text, lexer.from, lexer.to) : -1;
  }

  private list(read: () => void): void {
    const { lexer } = this;
    if (!lexer.enterArray()) return;
    for (let more = lexer.firstItem(); more; more = lexer.nextItem()) read();
  }

  private status(): void {
    const { lexer, writer } = this;
    if (!lexer.enterObject()) return;
    for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
      if (key === CODE) writer.status = readEnum(lexer, codes);
      else if (key === MESSAGE) lexer.appendPlain(writer.message);
      else lexer.skipValue();
    }
  }

  private event(): void {
    const { lexer, writer } = this;
    writer.beginEvent();
    let dropped = 0;
    if (!lexer.enterObject()) return lexer.note('span event is not an object');
    for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
      switch (key) {
        case TIME:
          readUint64(lexer, writer.halves, SPAN.eventTime * 2);
          break;
        case NAME:
          writer.eventName = this.name();
          break;
        case ATTRIBUTES:
          readAttributes(lexer, writer.eventAttributes);
          break;
        case DROPPED_ATTRIBUTES:
          dropped = readUint32(lexer);
          break;
        default:
          lexer.skipValue();
      }
    }
    writer.eventAttributes.addCount('otel.dropped_attributes_count', dropped);
    writer.commitEvent();
  }

  /** A link without a target is rejected alone: its span is valid. */
  private link(): void {
    const { lexer, writer } = this;
    const start = lexer.position;
    const before = lexer.problem;
    lexer.problem = '';
    writer.beginLink();
    const counts = { dropped: 0, flags: 0 };
    if (!lexer.enterObject()) lexer.note('not an object');
    else
      for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey())
        this.linkField(key, writer.linkAttributes, counts);
    writer.linkAttributes.addCount('otel.dropped_attributes_count', counts.dropped);
    writer.linkAttributes.addCount('otel.link.flags', counts.flags);
    const problem = lexer.problem === '' ? writer.commitLink() : `span link: ${lexer.problem}`;
    lexer.problem = before;
    if (problem === '') return;
    writer.rollbackLink();
    this.out.reject(this.base + start, problem);
  }

  private linkField(key: number, attributes: AttributeText, counts: { dropped: number; flags: number }): void {
    const { lexer, writer } = this;
    switch (key) {
      case TRACE_ID:
        return readId(lexer, writer.halves, SPAN.linkTraceHigh * 2, 16);
      case SPAN_ID:
        return readId(lexer, writer.halves, SPAN.linkSpan * 2, 8);
      case TRACE_STATE:
        return lexer.appendPlain(writer.linkState);
      case ATTRIBUTES:
        return readAttributes(lexer, attributes);
      case DROPPED_ATTRIBUTES:
        counts.dropped = readUint32(lexer);
        return;
      case FLAGS:
        counts.flags = readUint32(lexer);
        return;
      default:
        return lexer.skipValue();
    }
  }
}
