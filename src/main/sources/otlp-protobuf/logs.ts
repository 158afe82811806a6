import { TextBuilder } from '../../../model/rows/batch-builder.ts';
import { Malformed, type WireReader } from '../bytes/protobuf-wire.ts';
import { LOG, LogWriter } from '../otlp/log-writer.ts';
import type { Output } from '../otlp/output.ts';
import { utf8 } from '../otlp/utf8.ts';
import { addAttribute, appendAnyValue, appendBody } from './any-value.ts';

const LAST_SEVERITY = 24;

/** Decodes `LogRecord` (OTLP logs.proto) from the wire into rows. */
export class LogDecoder {
  private readonly wire: WireReader;
  private readonly out: Output;
  private readonly writer: LogWriter;

  constructor(wire: WireReader, out: Output) {
    this.wire = wire;
    this.out = out;
    this.writer = new LogWriter(out);
  }

  /** Reads one record up to `end`; answers why it cannot be kept, '' when it was. */
  read(end: number, base: number): string {
    const { wire, writer } = this;
    const start = wire.position;
    writer.begin();
    try {
      while (wire.position < end) this.field(wire.key(end), end);
      const problem = writer.commit(base + start, () => this.raw(start, end));
      if (problem !== '') writer.rollback();
      return problem;
    } catch (error) {
      writer.rollback();
      if (error instanceof Malformed) return error.message;
      throw error;
    }
  }

  private field(key: number, end: number): void {
    const { wire, writer } = this;
    switch (key) {
      case 0x09:
        return wire.fixed64(writer.halves, LOG.time * 2, end);
      case 0x59:
        return wire.fixed64(writer.halves, LOG.observed * 2, end);
      case 0x10: {
        const severity = wire.varint32(end);
        writer.severity = severity <= LAST_SEVERITY ? severity : 0;
        return;
      }
      case 0x1a: {
        const stop = wire.lengthEnd(end);
        writer.severityText = this.out.nameOf(wire.bytes, wire.position, stop);
        wire.position = stop;
        return;
      }
      case 0x2a: {
        writer.clearBody();
        return appendBody(wire, writer.body, wire.lengthEnd(end));
      }
      case 0x32:
        return addAttribute(wire, writer.attributes, wire.lengthEnd(end));
      case 0x38: {
        writer.dropped = wire.varint32(end);
        return;
      }
      case 0x45: {
        writer.flags = wire.fixed32(end);
        return;
      }
      case 0x4a:
        return wire.id(writer.halves, LOG.traceHigh * 2, 16, end);
      case 0x52:
        return wire.id(writer.halves, LOG.span * 2, 8, end);
      case 0x62: {
        const stop = wire.lengthEnd(end);
        writer.eventName = this.out.nameOf(wire.bytes, wire.position, stop);
        wire.position = stop;
        return;
      }
      default:
        return wire.skip(key, end);
    }
  }

  /** The record as OTLP/JSON-like text: the wire form is no use to a reader. */
  private raw(start: number, end: number): string {
    const { wire, writer } = this;
    const body = new TextBuilder();
    wire.position = start;
    while (wire.position < end) {
      const key = wire.key(end);
      if (key === 0x2a) appendAnyValue(wire, body, wire.lengthEnd(end));
      else wire.skip(key, end);
    }
    const text = utf8.decode(body.bytes.subarray(0, body.length)) || 'null';
    return `{"timeUnixNano":"${writer.u64[LOG.time]}","severityNumber":${writer.severity},"body":${text},"attributes":${writer.attributes.toString()}}`;
  }
}
