import { BatchBuilder, type TextBuilder } from '../../../model/rows/batch-builder.ts';
import { attributesText } from '../../../model/rows/records.ts';
import { ALWAYS_FROM, ALWAYS_TO, type RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type SourceInput } from '../../../model/storage/source.ts';
import type { ScrapedType } from '../series-meaning/scraped.ts';
import { ByteTable } from './byte-table.ts';
import { type KnownSeries, knownSeries, type MetricIdentity, namedOf } from './known-series.ts';
import { NameCodes } from './name-codes.ts';
import {
  type Attributes,
  type NamedEntity,
  namedEntity,
  parseAttributes,
  type ResourceMeaning,
  readResource,
} from './resources.ts';
import { describeSeries, prefixPairs, sortPairs } from './series-attributes.ts';
import { utf8 } from './utf8.ts';

const encoder = new TextEncoder();
const nothing = new Uint8Array(0);
// A batch ends after so much input even when it holds few rows: bodies of a megabyte each exist.
const BATCH_BYTES = 16 * 1024 * 1024;
const MAX_CACHED = 20_000;
/** `AggregationTemporality` of metrics.proto. */
const CUMULATIVE = 2;
/** Numbers from here on are of series whose values change on the way. */
const TRANSLATED = 2 ** 30;

/** The labels of a page whose target is unknown. */
const UNSTATED = { host: '', scraped: '', subject: undefined } as const;

interface TranslatedSeries {
  readonly series: number;
  readonly known: KnownSeries;
}

interface KnownResource {
  readonly attributes: string;
  readonly schema_url: string;
  readonly meaning: ResourceMeaning;
  generation: number;
  resource: number;
  service: number;
  subject: number;
}

/** Rows that lie elsewhere until there are many of them, and belong to the batch that ends next. */
export interface DeferredRows {
  /** Moves them there. */
  release(): void;
}

/**
 * Where both OTLP decoders write to: the batch under construction, and the numbers that names, resources and
 * series have in it. A batch may end between any two records; where numbers end with it, the current resource and scope
 * are then registered anew in the next one.
 */
export class Output {
  readonly file: string;
  private readonly provenance: string;
  readonly batch: BatchBuilder;
  /** Moves on when numbers end: those of an older generation are void. */
  generation = 0;
  resourceCode = -1;
  serviceCode = -1;
  scopeCode = -1;
  /** How many rejects there were so far. */
  rejects = 0;
  /** JSON pairs of the scope's own attributes, appended to those of every record; empty: none. */
  scopePairs: Uint8Array = nothing;
  private resource: KnownResource | undefined;
  private scopeName = '';
  private scopeVersion = '';
  private epoch = 0;
  private rows = 0;
  private consumed = 0;
  private started = 0;
  private deferred: DeferredRows | undefined;
  private readonly finished: RowBatch[] = [];
  private readonly names = new NameCodes();
  private readonly resources = new Map<string, KnownResource>();
  private readonly edges = new Set<string>();
  private metrics = new Map<string, number>();
  private readonly series = new ByteTable();
  private seriesCodes: number[] = [];
  private known: TranslatedSeries[] = [];
  /** Attributes as written in the file, before decoding. */
  private readonly written = new ByteTable();
  private writtenSeries: number[] = [];

  /**
   * @param provenance where the edges between what resources name come from
   * @param numbering of a {@link BatchBuilder}
   */
  constructor(file: string, provenance = 'otlp resource', numbering = '') {
    this.file = file;
    this.provenance = provenance;
    this.batch = new BatchBuilder(numbering);
  }

  /** For one piece of a file, or all of it: with the numbers that this thread gave in the pieces before. */
  static of({ name, piece, memory }: Pick<SourceInput, 'name' | 'piece' | 'memory'>): Output {
    const reused =
      memory?.readerState instanceof Output ? memory.readerState : new Output(name, undefined, memory?.numbering);
    if (memory) memory.readerState = reused;
    reused.restart(piece?.offset ?? 0);
    return reused;
  }

  private restart(offset: number): void {
    this.started = offset;
    this.consumed = offset;
    this.rows = 0;
    this.rejects = 0;
    this.resource = undefined;
    this.resourceCode = -1;
    this.serviceCode = -1;
    this.scopeCode = -1;
    this.scopeName = '';
    this.scopeVersion = '';
    this.scopePairs = nothing;
  }

  /** Code of a repeated text given as UTF-8 bytes; an empty one is -1. */
  nameOf(bytes: Uint8Array, start: number, end: number): number {
    return this.names.codeOf(this.batch, this.generation, bytes, start, end);
  }

  /** Enters a resource; `attributes` is JSON object text, or ''. */
  enterResource(attributes: string, schemaUrl: string): void {
    const key = `${schemaUrl}\n${attributes}`;
    let known = this.resources.get(key);
    if (!known) {
      if (this.resources.size >= MAX_CACHED) this.resources.clear();
      const meaning = readResource(parseAttributes(attributes));
      known = { attributes, schema_url: schemaUrl, meaning, generation: -1, resource: -1, service: -1, subject: -1 };
      this.resources.set(key, known);
    }
    this.resource = known;
    this.enterScope('', '', '');
  }

  /** Enters a scope of the current resource; `attributes` is JSON object text, or ''. */
  enterScope(name: string, version: string, attributes: string): void {
    this.scopeName = name;
    this.scopeVersion = version;
    this.scopePairs = attributes === '' ? nothing : encoder.encode(prefixPairs(attributes, 'otel.scope.'));
    this.resolve();
  }

  /** Ends the attributes of a record that begin at `mark`: the scope's pairs, and the closing brace. */
  closeAttributes(text: TextBuilder, mark: number): void {
    if (this.scopePairs.length > 0) {
      text.reserve(1)[text.length] = text.length === mark ? 0x7b : 0x2c;
      text.length++;
      text.appendBytes(this.scopePairs);
    }
    if (text.length === mark) return;
    text.reserve(1)[text.length] = 0x7d;
    text.length++;
  }

  /** Number of a metric in this batch, for {@link seriesOf}. */
  metricOf(identity: MetricIdentity): number {
    const scope = `${this.scopeName}\n${this.scopeVersion}\n${utf8.decode(this.scopePairs)}`;
    const key = `${this.resourceCode}\n${scope}\n${identity.kind}${identity.temporality}${identity.monotonic}\n${identity.unit}\n${identity.metadata}\n${identity.metric}`;
    const known = this.metrics.get(key);
    if (known !== undefined) return known;
    const number = this.metrics.size;
    this.metrics.set(key, number);
    return number;
  }

  /** Place of the series whose attributes were written like this, for {@link recalledSeries}. */
  recall(metric: number, bytes: Uint8Array, start: number, end: number): number {
    const epoch = this.written.epoch;
    const place = this.written.intern(bytes, start, end, metric);
    if (this.written.epoch !== epoch) this.writtenSeries = [];
    return place;
  }

  /** Number of the series; -1: unknown. */
  recalledSeries(place: number): number {
    return this.writtenSeries[place] ?? -1;
  }

  remember(place: number, series: number): void {
    this.writtenSeries[place] = series;
  }

  /** Number of the series with these attributes (JSON object text in `attributes`, from 0 on). */
  seriesOf(metric: number, identity: MetricIdentity, attributes: TextBuilder): number {
    const epoch = this.series.epoch;
    const entry = this.series.intern(attributes.bytes, 0, attributes.length, metric);
    if (this.series.epoch !== epoch) this.seriesCodes = [];
    this.seriesCodes[entry] ??= this.addSeries(identity, attributes);
    return this.seriesCodes[entry] as number;
  }

  /** What a number of {@link seriesOf} stands for where its values change on the way; undefined: it is the series itself. */
  translated(number: number): TranslatedSeries | undefined {
    return number >= TRANSLATED ? this.known[number - TRANSLATED] : undefined;
  }

  /** The entity that record attributes name, else that of the resource; -1: none. */
  entityOf(attributes: Readonly<Record<string, unknown>>): number {
    const known = this.resource;
    const named = namedEntity(attributes, known?.meaning.host ?? '');
    return named ? this.register(named) : (known?.subject ?? -1);
  }

  /**
   * What is known of a series of the current resource. Where the resource states nothing, attributes are taken as the labels of a
   * scraped page.
   * @param attributes JSON object text of its points
   */
  knownSeries(identity: MetricIdentity, attributes: string, type?: ScrapedType): KnownSeries | undefined {
    const isStated = this.resource !== undefined && this.resource.attributes !== '';
    return knownSeries(identity, attributes, isStated ? this.resource?.meaning : UNSTATED, type);
  }

  /** Adds the links of a known series. @returns the number of the entity that its attributes name; -1: none */
  relate({ relations, subject }: KnownSeries): number {
    for (const { from, kind, to } of relations) this.edge(namedOf(from), kind, namedOf(to));
    return subject ? this.register(namedOf(subject)) : -1;
  }

  /** Attributes of the current resource. */
  get resourceAttributes(): Attributes {
    return parseAttributes(this.resource?.attributes ?? '');
  }

  /** The machine of the current resource: '' and -1 where it names none. */
  get machine(): { readonly host: string; readonly number: number } {
    const meaning = this.resource?.meaning;
    if (!meaning?.machine) return { host: '', number: -1 };
    return { host: meaning.host, number: this.register(meaning.machine) };
  }

  edge(from: NamedEntity, kind: string, to: NamedEntity): void {
    const key = `${from.kind}:${from.id}\n${kind}\n${to.kind}:${to.id}`;
    if (this.edges.has(key)) return;
    if (this.edges.size >= MAX_CACHED * 5) this.edges.clear();
    this.edges.add(key);
    this.batch.table('edge').push({
      from_entity: this.register(from),
      kind: this.batch.name(kind),
      to_entity: this.register(to),
      valid_from_ns: ALWAYS_FROM,
      valid_to_ns: ALWAYS_TO,
      provenance: this.batch.name(this.provenance),
    });
  }

  reject(at: number, reason: string, excerpt = ''): void {
    this.rejects++;
    this.batch.reject(this.file, at, reason, excerpt);
    this.rows++;
  }

  /** How many more records the batch takes, and up to which input offset: for who reads several at once. */
  get room(): { readonly rows: number; readonly until: number } {
    return { rows: BATCH_ROWS - this.rows, until: this.started + BATCH_BYTES };
  }

  /** These are released before a batch ends. */
  defer(rows: DeferredRows): void {
    this.deferred = rows;
  }

  /** Called between records; `consumed` is the input offset of what comes next. Ends the batch when it is full. */
  recordDone(consumed: number, records = 1): void {
    this.consumed = Math.max(this.consumed, consumed);
    this.rows += records;
    if (this.rows < BATCH_ROWS && this.consumed - this.started < BATCH_BYTES) return;
    this.flush();
    this.resolve();
  }

  /** Ends the batch, whatever it holds: the codes of what comes next are of a new one. */
  endBatch(consumed: number): void {
    this.consumed = Math.max(this.consumed, consumed);
    this.flush();
    this.resolve();
  }

  /** Whether {@link take} has something to give. */
  get hasFinished(): boolean {
    return this.finished.length > 0;
  }

  /** The batches that are complete; with `last`, everything. */
  *take(consumed: number, last = false): Generator<RowBatch> {
    this.consumed = Math.max(this.consumed, consumed);
    if (last && this.hasContent()) this.flush();
    yield* this.finished.splice(0);
  }

  private hasContent(): boolean {
    return this.rows > 0 || this.batch.rowCount > 0;
  }

  private flush(): void {
    this.deferred?.release();
    this.finished.push(this.batch.finish(this.consumed));
    this.rows = 0;
    this.started = this.consumed;
    if (this.batch.epoch === this.epoch && this.metrics.size < MAX_CACHED) return;
    this.epoch = this.batch.epoch;
    this.generation++;
    this.metrics = new Map();
    this.series.clear();
    this.seriesCodes = [];
    this.known = [];
    this.written.clear();
    this.writtenSeries = [];
  }

  private register(entity: NamedEntity): number {
    return this.batch.entity(entity.kind, entity.id, entity.aliases, entity.attributes);
  }

  private resolve(): void {
    const known = this.resource;
    if (!known) return;
    if (known.generation !== this.generation) {
      const { meaning } = known;
      for (const entity of meaning.entities) this.register(entity);
      known.service = meaning.service ? this.register(meaning.service) : -1;
      known.subject = meaning.subject ? this.register(meaning.subject) : -1;
      known.resource = this.batch.resource({
        entity: known.subject,
        attributes: known.attributes,
        schema_url: known.schema_url,
      });
      known.generation = this.generation;
      for (const { from, kind, to } of meaning.edges) this.edge(from, kind, to);
    }
    this.resourceCode = known.resource;
    this.serviceCode = known.service;
    this.scopeCode = this.batch.name(
      this.scopeVersion === '' ? this.scopeName : `${this.scopeName}@${this.scopeVersion}`,
    );
  }

  private addSeries(identity: MetricIdentity, attributes: TextBuilder): number {
    const text = utf8.decode(attributes.bytes.subarray(0, attributes.length));
    const meaning = this.resource?.meaning;
    const host = meaning?.host ?? '';
    const own = describeSeries(text, host);
    const known = knownSeries(identity, text, meaning);
    const pairs = known ? sortPairs(attributesText(known.attributes)) : own.pairs === '' ? [] : [own.pairs];
    if (this.scopePairs.length > 0) pairs.push(utf8.decode(this.scopePairs));
    if (this.scopeName !== '') pairs.push(`"otel.scope.name":${JSON.stringify(this.scopeName)}`);
    if (this.scopeVersion !== '') pairs.push(`"otel.scope.version":${JSON.stringify(this.scopeVersion)}`);
    if (identity.metadata !== '') pairs.push(identity.metadata);
    const stated = known ? this.relate(known) : -1;
    const { metric, kind, unit, description, temporality, monotonic } = identity;
    const counts = known?.counter === true && kind === 'gauge';
    const series = this.batch.series({
      metric: known?.metric ?? metric,
      kind: counts ? 'sum' : kind,
      unit: known?.unit ?? unit,
      description: known?.description ?? description,
      temporality: counts ? CUMULATIVE : temporality,
      monotonic: counts || monotonic,
      entity: stated >= 0 ? stated : own.named ? this.register(own.named) : (this.resource?.subject ?? -1),
      resource: this.resourceCode,
      attributes: pairs.length === 0 ? '' : `{${pairs.join(',')}}`,
    });
    // Several series of a collector can be one here, each with its own values.
    return known ? TRANSLATED + this.known.push({ series, known }) - 1 : series;
  }
}
