import { TextBuilder } from '../../../model/rows/batch-builder.ts';
import { AttributeText } from '../otlp/attribute-text.ts';
import { FastSpans } from '../otlp/fast-spans.ts';
import type { Output } from '../otlp/output.ts';
import { utf8 } from '../otlp/utf8.ts';
import { readAttributes } from './any-value.ts';
import {
  ATTRIBUTES,
  BATCHES,
  DROPPED_ATTRIBUTES,
  LIBRARY,
  LIBRARY_METRICS,
  LIBRARY_SPANS,
  LOG_RECORDS,
  LOGS,
  METRICS,
  NAME,
  RESOURCE,
  RESOURCE_LOGS,
  RESOURCE_METRICS,
  RESOURCE_PROFILES,
  RESOURCE_SPANS,
  SCHEMA_URL,
  SCOPE,
  SCOPE_METRICS,
  SCOPE_SPANS,
  SPANS,
  TRACE,
  VERSION,
} from './keys.ts';
import { BrokenJson, JsonLexer } from './lexer.ts';
import { LogDecoder } from './logs.ts';
import { MetricDecoder } from './metric.ts';
import { readUint32 } from './numbers.ts';
import { SpanDecoder } from './spans.ts';

const EXCERPT = 200;
// The ends of "schemaUrl" and "schema_url": what starts with a rare letter is found fastest, and a false alarm costs only time.
const schemaKeys = ['Url"', '_url"'];

/** Whether a key holds the list of resources of a request: the spec's names, and Tempo's `batches`. */
export const isResourceList = (key: number): boolean =>
  key === RESOURCE_SPANS || key === RESOURCE_LOGS || key === RESOURCE_METRICS || key === BATCHES;
const isScopeList = (key: number): boolean =>
  (key >= SCOPE_SPANS && key <= SCOPE_METRICS) || (key >= LIBRARY_SPANS && key <= LIBRARY_METRICS);
const isRecordList = (key: number): boolean => key === SPANS || key === LOG_RECORDS || key === LOGS || key === METRICS;

/**
 * Decodes OTLP/JSON requests (opentelemetry.io/docs/specs/otlp). Records are read as they come; only where a
 * resource or scope is written after its records are those stepped over first and read when it is known.
 */
export class DocumentDecoder {
  private readonly lexer = new JsonLexer();
  private readonly out: Output;
  private readonly spans: SpanDecoder;
  private readonly fastSpans: FastSpans;
  private readonly logs: LogDecoder;
  private readonly metrics: MetricDecoder;
  private readonly scratch = new TextBuilder();
  private readonly attributes = new AttributeText();
  private base = 0;
  /** Some resource in the text has a schema URL, which usually follows its records. */
  private schemas = false;

  constructor(out: Output) {
    this.out = out;
    this.spans = new SpanDecoder(this.lexer, out);
    this.fastSpans = new FastSpans(out, 'jsonSpans');
    this.logs = new LogDecoder(this.lexer, out);
    this.metrics = new MetricDecoder(this.lexer, out);
  }

  /**
   * Reads the request object at `start`; answers where it ends. `offset` is the stream offset of `start`.
   * @throws BrokenJson where the text stops making sense; the records before that are kept.
   */
  document(bytes: Uint8Array, start: number, end: number, offset: number): number {
    this.open(bytes, start, end, offset);
    if (!this.request()) this.reject(start, 'no resourceSpans, resourceLogs or resourceMetrics in this document');
    return this.lexer.position;
  }

  /** Reads one element of a list of resources, as {@link document} does. */
  resourceElement(bytes: Uint8Array, start: number, end: number, offset: number): void {
    this.open(bytes, start, end, offset);
    this.resource();
  }

  /** Notes that something in the present text cannot be read. */
  reject(at: number, reason: string): void {
    const { bytes, end } = this.lexer;
    this.out.reject(this.base + at, reason, utf8.decode(bytes.subarray(at, Math.min(end, at + EXCERPT))));
  }

  /** Rejects text that was not opened here: `bytes[start .. end)`, which is at `offset` of the stream. */
  rejectAt(
    offset: number,
    bytes: Uint8Array,
    { start, end }: { readonly start: number; readonly end: number },
    reason: string,
  ): void {
    this.out.reject(offset, reason, utf8.decode(bytes.subarray(start, Math.min(end, start + EXCERPT))));
  }

  private open(bytes: Uint8Array, start: number, end: number, offset: number): void {
    this.lexer.open(bytes, start, end);
    this.fastSpans.open();
    this.base = offset - start;
    const range = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
    this.schemas = schemaKeys.some((key) => range.includes(key, 0, 'latin1'));
  }

  /** False when the object has keys and none of them is one of a request. */
  private request(depth = 0): boolean {
    const { lexer } = this;
    if (!lexer.enterObject()) return false;
    let known = false;
    let keys = 0;
    for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
      keys++;
      if (isResourceList(key)) {
        known = true;
        this.list('the list of resources', () => this.resource());
      } else if (key === TRACE && depth === 0) known = this.request(1) || known;
      else {
        if (key === RESOURCE_PROFILES) {
          known = true;
          this.reject(lexer.position, 'profiles are not imported');
        }
        lexer.skipValue();
      }
    }
    return known || keys === 0;
  }

  private list(what: string, read: () => void): void {
    const { lexer } = this;
    lexer.problem = '';
    lexer.peek();
    const start = lexer.position;
    if (!lexer.enterArray()) {
      if (lexer.problem !== '') this.reject(start, `${what} is not a list`);
      return;
    }
    for (let more = lexer.firstItem(); more; more = lexer.nextItem()) read();
  }

  /** Reads what was stepped over, then goes on from where the text was, or breaks as it had broken. */
  private readDeferred(deferred: readonly number[], broken: BrokenJson | undefined, read: () => void): void {
    const { lexer } = this;
    const after = lexer.position;
    for (const position of deferred) {
      lexer.position = position;
      read();
    }
    lexer.position = after;
    if (broken) throw broken;
  }

  private resource(): void {
    const { lexer } = this;
    const deferred: number[] = [];
    const state = {
      attributes: '',
      schema: '',
      seenResource: false,
      seenSchema: !this.schemas,
      entered: false,
      sound: true,
    };
    const scopes = (): void => {
      if (!state.entered) this.out.enterResource(state.attributes, state.schema);
      state.entered = true;
      this.list('the list of scopes', () => this.scope());
    };
    let broken: BrokenJson | undefined;
    lexer.problem = '';
    lexer.peek();
    const start = lexer.position;
    try {
      if (!lexer.enterObject()) return this.reject(start, 'resource entry is not an object');
      for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
        if (key === RESOURCE) {
          state.seenResource = true;
          const attributes = this.readResource();
          if (attributes === undefined) state.sound = false;
          else state.attributes = attributes;
        } else if (key === SCHEMA_URL) {
          state.schema = lexer.string();
          state.seenSchema = true;
        } else if (isScopeList(key) && state.sound && state.seenResource && state.seenSchema) scopes();
        else {
          if (isScopeList(key)) deferred.push(lexer.position);
          lexer.skipValue();
        }
      }
    } catch (error) {
      if (!(error instanceof BrokenJson)) throw error;
      broken = error;
    }
    this.readDeferred(state.sound ? deferred : [], broken, scopes);
  }

  /** The resource's attributes as JSON text; undefined when they cannot be read, which is rejected here. */
  private readResource(): string | undefined {
    const { lexer, attributes } = this;
    lexer.problem = '';
    const start = lexer.position;
    this.scratch.length = 0;
    attributes.begin(this.scratch);
    let dropped = 0;
    if (lexer.enterObject()) {
      for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
        if (key === ATTRIBUTES) readAttributes(lexer, attributes);
        else if (key === DROPPED_ATTRIBUTES) dropped = readUint32(lexer);
        else lexer.skipValue();
      }
    }
    if (lexer.problem !== '') {
      this.reject(start, `resource: ${lexer.problem}`);
      return undefined;
    }
    attributes.addCount('otel.dropped_attributes_count', dropped);
    attributes.end();
    return attributes.toString();
  }

  private scope(): void {
    const { lexer } = this;
    const deferred: { key: number; position: number }[] = [];
    let entered = false;
    let sound = true;
    let broken: BrokenJson | undefined;
    lexer.problem = '';
    lexer.peek();
    const start = lexer.position;
    try {
      if (!lexer.enterObject()) return this.reject(start, 'scope entry is not an object');
      for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
        if (key === SCOPE || key === LIBRARY) {
          entered = true;
          sound = this.readScope();
        } else if (isRecordList(key) && entered) {
          if (sound) this.records(key);
          else lexer.skipValue();
        } else {
          if (isRecordList(key)) deferred.push({ key, position: lexer.position });
          lexer.skipValue();
        }
      }
    } catch (error) {
      if (!(error instanceof BrokenJson)) throw error;
      broken = error;
    }
    if (!entered) this.out.enterScope('', '', '');
    for (const { key, position } of sound ? deferred : [])
      this.readDeferred([position], undefined, () => this.records(key));
    if (broken) throw broken;
  }

  private readScope(): boolean {
    const { lexer, attributes } = this;
    lexer.problem = '';
    const start = lexer.position;
    this.scratch.length = 0;
    attributes.begin(this.scratch);
    let [name, version, dropped] = ['', '', 0];
    if (lexer.enterObject()) {
      for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
        if (key === NAME) name = lexer.string();
        else if (key === VERSION) version = lexer.string();
        else if (key === ATTRIBUTES) readAttributes(lexer, attributes);
        else if (key === DROPPED_ATTRIBUTES) dropped = readUint32(lexer);
        else lexer.skipValue();
      }
    }
    if (lexer.problem !== '') {
      this.reject(start, `scope: ${lexer.problem}`);
      return false;
    }
    attributes.addCount('dropped_attributes_count', dropped);
    attributes.end();
    this.out.enterScope(name, version, attributes.toString());
    return true;
  }

  private records(key: number): void {
    const { lexer, out, base } = this;
    if (key === METRICS) return this.list('the list of metrics', () => this.metrics.read(base, this));
    this.list('the list of records', () => {
      lexer.peek();
      lexer.about(key);
      const start = lexer.position;
      if (key === SPANS) {
        lexer.position = this.fastSpans.read(lexer.bytes, start, lexer.end, base);
        if (lexer.position > start) return;
      }
      const problem = key === SPANS ? this.spans.read(base) : this.logs.read(base);
      if (problem !== '') this.reject(start, problem);
      out.recordDone(base + lexer.position);
    });
  }
}
