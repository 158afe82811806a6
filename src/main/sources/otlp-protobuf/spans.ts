import { Malformed, type WireReader } from '../bytes/protobuf-wire.ts';
import { appendText } from '../otlp/json-text.ts';
import type { Output } from '../otlp/output.ts';
import { SPAN, SpanWriter } from '../otlp/span-writer.ts';
import { addAttribute } from './any-value.ts';

const LAST_KIND = 5;
const LAST_STATUS = 2;

/** Decodes `Span` (OTLP trace.proto) from the wire into rows. */
export class SpanDecoder {
  private readonly wire: WireReader;
  private readonly out: Output;
  private readonly writer: SpanWriter;
  /** Stream offset of position 0. */
  private base = 0;

  constructor(wire: WireReader, out: Output) {
    this.wire = wire;
    this.out = out;
    this.writer = new SpanWriter(out);
  }

  /** Reads one span up to `end`; answers why it cannot be kept, '' when it was. */
  read(end: number, base: number): string {
    this.base = base;
    const { wire, writer } = this;
    writer.begin();
    try {
      while (wire.position < end) {
        const key = wire.key(end);
        if (key === 0x4a) addAttribute(wire, writer.attributes, wire.lengthEnd(end));
        else this.field(key, end);
      }
      const problem = writer.commit();
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
      case 0x0a:
        return wire.id(writer.halves, SPAN.traceHigh * 2, 16, end);
      case 0x12:
        return wire.id(writer.halves, SPAN.span * 2, 8, end);
      case 0x22:
        return wire.id(writer.halves, SPAN.parent * 2, 8, end);
      case 0x39:
        return wire.fixed64(writer.halves, SPAN.start * 2, end);
      case 0x41:
        return wire.fixed64(writer.halves, SPAN.end * 2, end);
      case 0x2a: {
        const stop = wire.lengthEnd(end);
        writer.name = this.out.nameOf(wire.bytes, wire.position, stop);
        wire.position = stop;
        return;
      }
      case 0x30: {
        const kind = wire.varint32(end);
        writer.kind = kind <= LAST_KIND ? kind : 0;
        return;
      }
      case 0x7a:
        return this.status(wire.lengthEnd(end));
      case 0x5a:
        return this.event(wire.lengthEnd(end));
      case 0x6a:
        return this.link(wire.lengthEnd(end));
      case 0x85: {
        writer.flags = wire.fixed32(end);
        return;
      }
      case 0x50:
      case 0x60:
      case 0x70: {
        writer.dropped += wire.varint32(end);
        return;
      }
      case 0x1a: {
        const stop = wire.lengthEnd(end);
        appendText(writer.traceState, wire.bytes, wire.position, stop);
        wire.position = stop;
        return;
      }
      default:
        return wire.skip(key, end);
    }
  }

  private status(end: number): void {
    const { wire, writer } = this;
    while (wire.position < end) {
      const key = wire.key(end);
      if (key === 0x18) {
        const code = wire.varint32(end);
        writer.status = code <= LAST_STATUS ? code : 0;
      } else if (key === 0x12) {
        const stop = wire.lengthEnd(end);
        appendText(writer.message, wire.bytes, wire.position, stop);
        wire.position = stop;
      } else wire.skip(key, end);
    }
  }

  private event(end: number): void {
    const { wire, writer } = this;
    writer.beginEvent();
    let dropped = 0;
    while (wire.position < end) {
      const key = wire.key(end);
      switch (key) {
        case 0x09:
          wire.fixed64(writer.halves, SPAN.eventTime * 2, end);
          break;
        case 0x12: {
          const stop = wire.lengthEnd(end);
          writer.eventName = this.out.nameOf(wire.bytes, wire.position, stop);
          wire.position = stop;
          break;
        }
        case 0x1a:
          addAttribute(wire, writer.eventAttributes, wire.lengthEnd(end));
          break;
        case 0x20:
          dropped = wire.varint32(end);
          break;
        default:
          wire.skip(key, end);
      }
    }
    writer.eventAttributes.addCount('otel.dropped_attributes_count', dropped);
    writer.commitEvent();
  }

  /** A link without a target is rejected alone: its span is valid. */
  private link(end: number): void {
    const { wire, writer } = this;
    const start = wire.position;
    writer.beginLink();
    let problem: string;
    try {
      while (wire.position < end) this.linkField(wire.key(end), end);
      problem = writer.commitLink();
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      problem = `span link: ${error.message}`;
    }
    wire.position = end;
    if (problem === '') return;
    writer.rollbackLink();
    this.out.reject(this.base + start, problem);
  }

  private linkField(key: number, end: number): void {
    const { wire, writer } = this;
    switch (key) {
      case 0x0a:
        return wire.id(writer.halves, SPAN.linkTraceHigh * 2, 16, end);
      case 0x12:
        return wire.id(writer.halves, SPAN.linkSpan * 2, 8, end);
      case 0x1a: {
        const stop = wire.lengthEnd(end);
        appendText(writer.linkState, wire.bytes, wire.position, stop);
        wire.position = stop;
        return;
      }
      case 0x22:
        return addAttribute(wire, writer.linkAttributes, wire.lengthEnd(end));
      case 0x28:
        return writer.linkAttributes.addCount('otel.dropped_attributes_count', wire.varint32(end));
      case 0x35:
        return writer.linkAttributes.addCount('otel.link.flags', wire.fixed32(end));
      default:
        return wire.skip(key, end);
    }
  }
}
