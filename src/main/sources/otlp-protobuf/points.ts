import type { SeriesKind } from '../../../model/rows/rows.ts';
import { Malformed, type WireReader } from '../bytes/protobuf-wire.ts';
import { appendByte, appendDouble, appendUint64 } from '../otlp/json-text.ts';
import { MetricWriter, type NumberList, POINT } from '../otlp/metric-writer.ts';
import type { Output } from '../otlp/output.ts';
import { addAttribute, zigzag } from './any-value.ts';

/** Key of the field `attributes` in a data point. */
const attributeKeys: Readonly<Record<SeriesKind, number>> = {
  gauge: 0x3a,
  sum: 0x3a,
  histogram: 0x4a,
  exponential_histogram: 0x0a,
  summary: 0x3a,
};

/** Where the attributes of a data point lie: the same bytes are the same series, without being read. */
class AttributeRange {
  key = 0;
  start = 0;
  end = 0;
  /** Other fields lie between them. */
  scattered = false;

  begin(key: number): void {
    this.key = key;
    this.start = 0;
    this.end = 0;
    this.scattered = false;
  }

  /** Steps over an attribute whose key is at `at`. */
  pass(wire: WireReader, at: number, end: number): void {
    const stop = wire.lengthEnd(end);
    if (this.end === 0) this.start = at;
    else if (this.end !== at) this.scattered = true;
    this.end = stop;
    wire.position = stop;
  }
}

/** Decodes the data points of all five kinds (OTLP metrics.proto) from the wire into rows. */
export class PointDecoder {
  readonly writer: MetricWriter;
  private readonly wire: WireReader;
  private readonly attributes = new AttributeRange();

  constructor(wire: WireReader, out: Output) {
    this.wire = wire;
    this.writer = new MetricWriter(out);
  }

  /** Reads one data point up to `end`; answers why it cannot be kept, '' when it was. */
  read(kind: SeriesKind, end: number): string {
    const { wire, writer, attributes } = this;
    const start = wire.position;
    attributes.begin(attributeKeys[kind]);
    writer.beginPoint();
    try {
      while (wire.position < end) {
        const at = wire.position;
        const key = wire.key(end);
        if (key === attributes.key) attributes.pass(wire, at, end);
        else this.field(kind, key, end);
      }
      if (attributes.scattered || !writer.recall(wire.bytes, attributes.start, attributes.end))
        this.renderAttributes(start, end);
      const problem = writer.commit();
      if (problem !== '') writer.rollback();
      return problem;
    } catch (error) {
      writer.rollback();
      if (error instanceof Malformed) return error.message;
      throw error;
    }
  }

  private renderAttributes(start: number, end: number): void {
    const { wire, writer, attributes } = this;
    wire.position = start;
    while (wire.position < end) {
      const key = wire.key(end);
      if (key === attributes.key) addAttribute(wire, writer.attributes, wire.lengthEnd(end));
      else wire.skip(key, end);
    }
  }

  private field(kind: SeriesKind, key: number, end: number): void {
    const { wire, writer } = this;
    if (key === 0x11) return wire.fixed64(writer.halves, POINT.start * 2, end);
    if (key === 0x19) return wire.fixed64(writer.halves, POINT.time * 2, end);
    switch (kind) {
      case 'gauge':
      case 'sum':
        return this.numberField(key, end);
      case 'histogram':
        return this.histogramField(key, end);
      case 'exponential_histogram':
        return this.exponentialField(key, end);
      case 'summary':
        return this.summaryField(key, end);
    }
  }

  private numberField(key: number, end: number): void {
    const { wire, writer } = this;
    switch (key) {
      case 0x21:
        writer.value = wire.double(end);
        return;
      case 0x31:
        writer.value = wire.signed(end);
        return;
      case 0x2a:
        return this.exemplar(wire.lengthEnd(end));
      case 0x40:
        writer.flags = wire.varint32(end);
        return;
      default:
        return wire.skip(key, end);
    }
  }

  private histogramField(key: number, end: number): void {
    const { wire, writer } = this;
    switch (key) {
      case 0x21:
        writer.count = wire.count(end);
        return;
      case 0x29:
        writer.sum = wire.double(end);
        return;
      case 0x32:
      case 0x31:
        return this.counts64(writer.counts, key === 0x32 ? wire.lengthEnd(end) : wire.position + 8, end);
      case 0x3a:
      case 0x39:
        return this.doubles(writer.bounds, key === 0x3a ? wire.lengthEnd(end) : wire.position + 8, end);
      case 0x42:
        return this.exemplar(wire.lengthEnd(end));
      case 0x50:
        writer.flags = wire.varint32(end);
        return;
      case 0x59:
        writer.min = wire.double(end);
        return;
      case 0x61:
        writer.max = wire.double(end);
        return;
      default:
        return wire.skip(key, end);
    }
  }

  private exponentialField(key: number, end: number): void {
    const { wire, writer } = this;
    switch (key) {
      case 0x21:
        writer.count = wire.count(end);
        return;
      case 0x29:
        writer.sum = wire.double(end);
        return;
      case 0x30:
        writer.scale = zigzag(wire.varint32(end));
        return;
      case 0x39:
        writer.zeroCount = wire.count(end);
        return;
      case 0x42:
        writer.positiveOffset = this.buckets(writer.counts, wire.lengthEnd(end));
        return;
      case 0x4a:
        writer.negativeOffset = this.buckets(writer.negativeCounts, wire.lengthEnd(end));
        return;
      case 0x50:
        writer.flags = wire.varint32(end);
        return;
      case 0x5a:
        return this.exemplar(wire.lengthEnd(end));
      case 0x61:
        writer.min = wire.double(end);
        return;
      case 0x69:
        writer.max = wire.double(end);
        return;
      case 0x71:
        writer.zeroThreshold = wire.double(end);
        return;
      default:
        return wire.skip(key, end);
    }
  }

  private summaryField(key: number, end: number): void {
    const { wire, writer } = this;
    switch (key) {
      case 0x21:
        writer.count = wire.count(end);
        return;
      case 0x29:
        writer.sum = wire.double(end);
        return;
      case 0x32:
        return this.quantile(wire.lengthEnd(end));
      case 0x40:
        writer.flags = wire.varint32(end);
        return;
      default:
        return wire.skip(key, end);
    }
  }

  private quantile(end: number): void {
    const { wire } = this;
    let quantile = 0;
    let value = 0;
    while (wire.position < end) {
      const key = wire.key(end);
      if (key === 0x09) quantile = wire.double(end);
      else if (key === 0x11) value = wire.double(end);
      else wire.skip(key, end);
    }
    const text = this.writer.bounds.next();
    appendByte(text, 0x5b);
    appendDouble(text, quantile);
    appendByte(text, 0x2c);
    appendDouble(text, value);
    appendByte(text, 0x5d);
  }

  /** `Buckets` of an exponential histogram; answers the offset. */
  private buckets(list: NumberList, end: number): number {
    const { wire } = this;
    let offset = 0;
    while (wire.position < end) {
      const key = wire.key(end);
      if (key === 0x08) offset = zigzag(wire.varint32(end));
      else if (key === 0x12 || key === 0x10) {
        const stop = key === 0x12 ? wire.lengthEnd(end) : wire.position + 1;
        do {
          wire.varint(key === 0x12 ? stop : end);
          appendUint64(list.next(), wire.low, wire.high);
        } while (key === 0x12 && wire.position < stop);
      } else wire.skip(key, end);
    }
    return offset;
  }

  private counts64(list: NumberList, stop: number, end: number): void {
    while (this.wire.position < stop) {
      this.wire.fixed64Halves(Math.min(stop, end));
      appendUint64(list.next(), this.wire.low, this.wire.high);
    }
  }

  private doubles(list: NumberList, stop: number, end: number): void {
    while (this.wire.position < stop) appendDouble(list.next(), this.wire.double(Math.min(stop, end)));
  }

  private exemplar(end: number): void {
    const { wire, writer } = this;
    writer.beginExemplar();
    while (wire.position < end) {
      const key = wire.key(end);
      switch (key) {
        case 0x11:
          wire.fixed64(writer.halves, POINT.exemplarTime * 2, end);
          break;
        case 0x19:
          writer.exemplarValue = wire.double(end);
          break;
        case 0x31:
          writer.exemplarValue = wire.signed(end);
          break;
        case 0x22:
          wire.id(writer.halves, POINT.exemplarSpan * 2, 8, end);
          break;
        case 0x2a:
          wire.id(writer.halves, POINT.exemplarTraceHigh * 2, 16, end);
          break;
        case 0x3a:
          addAttribute(wire, writer.exemplarAttributes, wire.lengthEnd(end));
          break;
        default:
          wire.skip(key, end);
      }
    }
    writer.commitExemplar();
  }
}
