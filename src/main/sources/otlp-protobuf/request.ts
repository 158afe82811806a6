import { TextBuilder } from '../../../model/rows/batch-builder.ts';
import type { SeriesKind } from '../../../model/rows/rows.ts';
import { Malformed, WireReader } from '../bytes/protobuf-wire.ts';
import { AttributeText } from '../otlp/attribute-text.ts';
import { FastSpans } from '../otlp/fast-spans.ts';
import type { Output } from '../otlp/output.ts';
import { prefixPairs } from '../otlp/series-attributes.ts';
import { utf8 } from '../otlp/utf8.ts';
import { addAttribute } from './any-value.ts';
import { classifyResource, isScopeField, type Signal } from './classify.ts';
import { LogDecoder } from './logs.ts';
import { PointDecoder } from './points.ts';
import { SpanDecoder } from './spans.ts';

const EXCERPT = 48;

/** The `oneof data` of Metric: field key to kind. */
const dataKinds: Readonly<Record<number, SeriesKind>> = {
  42: 'gauge',
  58: 'sum',
  74: 'histogram',
  82: 'exponential_histogram',
  90: 'summary',
};

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Decodes Export*ServiceRequest messages (OTLP collector protos) and their TracesData, MetricsData and LogsData
 * twins. A bad record costs that record; a container whose bytes break costs what follows the break in it.
 */
export class RequestDecoder {
  private readonly wire = new WireReader();
  private readonly out: Output;
  private readonly spans: SpanDecoder;
  private readonly fastSpans: FastSpans;
  private readonly logs: LogDecoder;
  private readonly points: PointDecoder;
  private readonly scratch = new TextBuilder();
  private readonly attributes = new AttributeText();
  /** Stream offset of position 0 of the bytes. */
  private base = 0;
  /** The message ends before the stated length of its containers; its complete parts count. */
  private cut = false;

  constructor(out: Output) {
    this.out = out;
    this.spans = new SpanDecoder(this.wire, out);
    this.fastSpans = new FastSpans(out, 'protobufSpans');
    this.logs = new LogDecoder(this.wire, out);
    this.points = new PointDecoder(this.wire, out);
  }

  /** Reads a whole request in `bytes[start .. end)`, whose first byte is number `offset` of the stream. */
  request(bytes: Uint8Array, { start, end }: Range, offset: number, cut = false): void {
    this.begin(bytes, offset - start, cut);
    let profiles = false;
    this.container(start, end, 'request', (key, from, to) => {
      if (key === 0x0a) this.resource(from, to);
      else if (key === 0x12 && !profiles) {
        profiles = true;
        this.out.reject(this.base + from, 'profiles are not imported');
      }
    });
  }

  /** Reads one ResourceSpans, ResourceMetrics or ResourceLogs. */
  resourceMessage(bytes: Uint8Array, { start, end }: Range, offset: number, cut = false): void {
    this.begin(bytes, offset - start, cut);
    this.resource(start, end);
  }

  private begin(bytes: Uint8Array, base: number, cut: boolean): void {
    this.wire.open(bytes);
    this.fastSpans.open();
    // What is cut is left to others.
    if (cut) this.fastSpans.release();
    this.base = base;
    this.cut = cut;
  }

  private excerpt(start: number, end: number): string {
    let hex = '';
    for (let i = start; i < Math.min(end, start + EXCERPT); i++)
      hex += this.wire.bytes[i]!.toString(16).padStart(2, '0');
    return hex;
  }

  private reject(at: number, end: number, reason: string): void {
    this.out.reject(this.base + at, reason, this.excerpt(at, end));
  }

  /**
   * Visits the length-delimited fields of a container; false when its bytes break. A break in it is one reject, unless the message is known
   * to be cut: then the cut is rejected where it is noticed, once.
   */
  private container(
    start: number,
    end: number,
    what: string,
    visit: (key: number, from: number, to: number) => void,
  ): boolean {
    const { wire } = this;
    let position = start;
    try {
      while (position < end) {
        wire.position = position;
        const key = wire.key(end);
        if ((key & 7) !== 2) {
          wire.skip(key, end);
          position = wire.position;
          continue;
        }
        const to = this.cut ? this.clippedEnd(end) : wire.lengthEnd(end);
        const from = wire.position;
        position = to;
        visit(key, from, to);
      }
      return true;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      if (!this.cut) this.reject(error.at, end, `${what}: ${error.message}`);
      return false;
    }
  }

  private clippedEnd(end: number): number {
    this.wire.varint(end);
    return this.wire.high > 0 ? end : Math.min(end, this.wire.position + this.wire.low);
  }

  private resource(start: number, end: number): void {
    const { signal } = classifyResource(this.wire.bytes, start, end, this.cut);
    const scopes: Range[] = [];
    let resource: Range = { start: 0, end: 0 };
    let schemaUrl = '';
    this.container(start, end, 'resource', (key, from, to) => {
      if (key === 0x0a) resource = { start: from, end: to };
      else if (isScopeField(key >>> 3)) scopes.push({ start: from, end: to });
      else if (key === 0x1a) schemaUrl = utf8.decode(this.wire.bytes.subarray(from, to));
    });
    if (signal === 'profiles') return this.reject(start, end, 'profiles are not imported');
    if (!this.readResource(resource, schemaUrl)) return;
    for (const scope of scopes) this.scope(scope.start, scope.end, signal);
  }

  private readResource({ start, end }: Range, schemaUrl: string): boolean {
    const { wire, attributes } = this;
    this.scratch.length = 0;
    attributes.begin(this.scratch);
    wire.position = start;
    try {
      while (wire.position < end) {
        const key = wire.key(end);
        if (key === 0x0a) addAttribute(wire, attributes, wire.lengthEnd(end));
        else if (key === 0x10) attributes.addCount('otel.dropped_attributes_count', wire.varint32(end));
        else wire.skip(key, end);
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      if (!this.cut) this.reject(error.at, end, `resource: ${error.message}`);
      return false;
    }
    attributes.end();
    this.out.enterResource(attributes.toString(), schemaUrl);
    return true;
  }

  private scope(start: number, end: number, signal: Signal): void {
    const records: Range[] = [];
    let scope: Range = { start: 0, end: 0 };
    if (signal === 'unknown' || signal === 'profiles') {
      this.container(start, end, 'scope', (key, from, to) => {
        if (key === 0x12 && records.length === 0) records.push({ start: from, end: to });
      });
      if (records[0] && !this.cut)
        this.reject(records[0].start, records[0].end, 'not recognisable as spans, log records or metrics');
      return;
    }
    if (this.wire.bytes[start] === 0x0a) scope = this.firstField(start, end);
    else
      this.container(start, end, 'scope', (key, from, to) => {
        if (key === 0x0a) scope = { start: from, end: to };
      });
    if (this.readScope(scope)) this.records(start, end, signal);
  }

  /** The range of a leading field: every encoder puts the scope first. */
  private firstField(start: number, end: number): Range {
    this.wire.position = start + 1;
    const to = this.clippedEnd(end);
    return { start: this.wire.position, end: to };
  }

  private readScope({ start, end }: Range): boolean {
    const { wire, attributes } = this;
    let name = '';
    let version = '';
    this.scratch.length = 0;
    attributes.begin(this.scratch);
    wire.position = start;
    try {
      while (wire.position < end) {
        const key = wire.key(end);
        if (key === 0x1a) addAttribute(wire, attributes, wire.lengthEnd(end));
        else if (key === 0x20) attributes.addCount('dropped_attributes_count', wire.varint32(end));
        else if (key === 0x0a || key === 0x12) {
          const stop = wire.lengthEnd(end);
          const text = utf8.decode(wire.bytes.subarray(wire.position, stop));
          wire.position = stop;
          if (key === 0x0a) name = text;
          else version = text;
        } else wire.skip(key, end);
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      if (!this.cut) this.reject(error.at, end, `scope: ${error.message}`);
      return false;
    }
    attributes.end();
    this.out.enterScope(name, version, attributes.toString());
    return true;
  }

  private records(start: number, end: number, signal: Signal): void {
    const { wire, out, base } = this;
    wire.position = start;
    try {
      while (wire.position < end) {
        if (signal === 'traces' && this.readFast(end)) continue;
        const key = wire.key(end);
        if (key !== 0x12) {
          if ((key & 7) === 2 && this.cut) wire.position = this.clippedEnd(end);
          else wire.skip(key, end);
          continue;
        }
        if (signal === 'metrics') {
          const stop = this.cut ? this.clippedEnd(end) : wire.lengthEnd(end);
          this.metric(wire.position, stop);
          wire.position = stop;
          continue;
        }
        const stop = wire.lengthEnd(end);
        const from = wire.position;
        const problem = signal === 'traces' ? this.spans.read(stop, base) : this.logs.read(stop, base);
        if (problem !== '') this.reject(from, stop, problem);
        wire.position = stop;
        out.recordDone(base + stop);
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      if (!this.cut) this.reject(error.at, end, `scope: ${error.message}`);
    }
  }

  /** Reads as many spans as are written as usual; false when there are none of them next. */
  private readFast(end: number): boolean {
    const { wire } = this;
    const { position } = wire;
    if (wire.bytes[position] !== 0x12 || this.cut) return false;
    wire.position = this.fastSpans.read(wire.bytes, position, end, this.base);
    return wire.position > position;
  }

  private metric(start: number, end: number): void {
    const { bytes } = this.wire;
    let [metric, description, unit, kind] = ['', '', '', undefined as SeriesKind | undefined];
    let data: Range = { start, end: start };
    this.scratch.length = 0;
    this.attributes.begin(this.scratch);
    const sound = this.container(start, end, 'metric', (key, from, to) => {
      if (key === 0x0a) metric = utf8.decode(bytes.subarray(from, to));
      else if (key === 0x12) description = utf8.decode(bytes.subarray(from, to));
      else if (key === 0x1a) unit = utf8.decode(bytes.subarray(from, to));
      else if (key === 0x62) addAttribute(this.wire, this.attributes, to);
      else if (dataKinds[key]) [kind, data] = [dataKinds[key], { start: from, end: to }];
    });
    if (!kind) {
      // A metric without a name and data is nothing; data of a kind yet unknown is a loss to be seen.
      if (!this.cut && sound && metric !== '') this.reject(start, end, `metric ${metric} has no data of a known kind`);
      return;
    }
    if (metric === '') {
      if (!this.cut && sound) this.reject(start, end, 'metric without a name');
      return;
    }
    this.attributes.end();
    const metadata = prefixPairs(this.attributes.toString(), 'otel.metric.');
    const { temporality, monotonic } = this.aggregation(kind, data);
    this.points.writer.beginMetric({ metric, description, unit, kind, temporality, monotonic, metadata });
    this.dataPoints(kind, data);
  }

  private aggregation(kind: SeriesKind, { start, end }: Range): { temporality: 0 | 1 | 2; monotonic: boolean } {
    const { wire } = this;
    const found = { temporality: 0 as 0 | 1 | 2, monotonic: false };
    if (kind === 'gauge' || kind === 'summary') return found;
    wire.position = start;
    try {
      while (wire.position < end) {
        const key = wire.key(end);
        if (key === 0x10) {
          const code = wire.varint32(end);
          found.temporality = code === 1 || code === 2 ? code : 0;
        } else if (key === 0x18) found.monotonic = wire.varint32(end) !== 0;
        else if (this.cut && (key & 7) === 2) wire.position = this.clippedEnd(end);
        else wire.skip(key, end);
      }
    } catch (error) {
      // The walk over the points meets the same break and rejects it.
      if (!(error instanceof Malformed)) throw error;
    }
    return found;
  }

  private dataPoints(kind: SeriesKind, { start, end }: Range): void {
    const { wire, out, base } = this;
    wire.position = start;
    try {
      while (wire.position < end) {
        const key = wire.key(end);
        if (key !== 0x0a) {
          wire.skip(key, end);
          continue;
        }
        const stop = wire.lengthEnd(end);
        const from = wire.position;
        const problem = this.points.read(kind, stop);
        if (problem !== '') this.reject(from, stop, problem);
        wire.position = stop;
        out.recordDone(base + stop);
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      if (!this.cut) this.reject(error.at, end, `metric: ${error.message}`);
    }
  }
}
