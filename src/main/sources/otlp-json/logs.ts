import { LOG, LogWriter } from '../otlp/log-writer.ts';
import type { Output } from '../otlp/output.ts';
import { utf8 } from '../otlp/utf8.ts';
import { appendBody, readAttributes } from './any-value.ts';
import {
  ATTRIBUTES,
  BODY,
  DROPPED_ATTRIBUTES,
  EVENT_NAME,
  FLAGS,
  NAME,
  OBSERVED_TIME,
  SEVERITY_NUMBER,
  SEVERITY_TEXT,
  SPAN_ID,
  TIME,
  TRACE_FLAGS,
  TRACE_ID,
} from './keys.ts';
import type { JsonLexer } from './lexer.ts';
import { readEnum, readId, readUint32, readUint64 } from './numbers.ts';

const severities = [
  'UNSPECIFIED',
  ...['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].flatMap((name) => [name, `${name}2`, `${name}3`, `${name}4`]),
];

/** Decodes `LogRecord` objects of OTLP/JSON into rows. */
export class LogDecoder {
  private readonly lexer: JsonLexer;
  private readonly out: Output;
  private readonly writer: LogWriter;

  constructor(lexer: JsonLexer, out: Output) {
    this.lexer = lexer;
    this.out = out;
    this.writer = new LogWriter(out);
  }

  /** Reads one record; answers why it cannot be kept, '' when it was. Broken text takes it back and goes on up. */
  read(base: number): string {
    const { lexer, writer } = this;
    lexer.problem = '';
    lexer.peek();
    const start = lexer.position;
    writer.begin();
    try {
      if (!lexer.enterObject()) lexer.note('log record is not an object');
      else for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) this.field(key);
    } catch (error) {
      writer.rollback();
      throw error;
    }
    const problem =
      lexer.problem || writer.commit(base + start, () => utf8.decode(lexer.bytes.subarray(start, lexer.position)));
    if (problem !== '') writer.rollback();
    return problem;
  }

  private field(key: number): void {
    const { lexer, writer } = this;
    switch (key) {
      case TIME:
        return readUint64(lexer, writer.halves, LOG.time * 2);
      case OBSERVED_TIME:
        return readUint64(lexer, writer.halves, LOG.observed * 2);
      case SEVERITY_NUMBER:
        writer.severity = readEnum(lexer, severities);
        return;
      case SEVERITY_TEXT:
        writer.severityText = this.name();
        return;
      case BODY:
        writer.clearBody();
        return appendBody(lexer, writer.body);
      case ATTRIBUTES:
        return readAttributes(lexer, writer.attributes);
      case DROPPED_ATTRIBUTES:
        writer.dropped = readUint32(lexer);
        return;
      case FLAGS:
      case TRACE_FLAGS:
        writer.flags = readUint32(lexer);
        return;
      case TRACE_ID:
        return readId(lexer, writer.halves, LOG.traceHigh * 2, 16);
      case SPAN_ID:
        return readId(lexer, writer.halves, LOG.span * 2, 8);
      // `name` is what event_name was called before 0.10.
      case EVENT_NAME:
      case NAME:
        writer.eventName = this.name();
        return;
      default:
        return lexer.skipValue();
    }
  }

  private name(): number {
    const { lexer } = this;
    return lexer.readString() ? this.out.nameOf(lexer.text, lexer.from, lexer.to) : -1;
  }
}
