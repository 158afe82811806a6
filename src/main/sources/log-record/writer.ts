import type { EntityKind } from '../../../model/entity.ts';
import { assignedName } from '../../../model/incident/assigned-name.ts';
import type { BatchBuilder, TableBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, attributesText } from '../../../model/rows/records.ts';
import { kernelMarks, readLogBody } from '../log-events/log-body.ts';
import { LogEvents } from '../log-events/log-events.ts';
import { NeedleSearch } from '../log-events/needle-search.ts';
import { needles } from '../log-events/read-log-text.ts';
import { type NamedEntity, readResource } from '../otlp/resources.ts';
import { mayStateStep, readStep } from '../training-steps/read-step.ts';
import { rankEntity } from '../workload/rank.ts';
import { rankOf } from '../workload/rank-of.ts';
import { mayNamePlace, namedPlace } from './named-place.ts';
import { noContext, type TraceContext } from './trace-context.ts';

/** A log record with its time known. */
export interface LogRecord {
  readonly time_ns: bigint;
  readonly observed_ns?: bigint;
  /** Severity number of OpenTelemetry, 0 unknown; and as the record calls it. */
  readonly severity: number;
  readonly severity_text: string;
  readonly body: string;
  /** The logger; '' unknown. */
  readonly scope: string;
  readonly context?: TraceContext;
  /** Resource attributes of OpenTelemetry. */
  readonly resource: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Of a training job; undefined: not stated. */
  readonly rank?: number | undefined;
  /** As it was found, for events. */
  readonly raw: string;
  /** The container keeps that the kernel wrote it. */
  readonly isKernel?: boolean;
}

/** Texts of which every body that states an event contains one. */
export const eventNeedles: readonly string[] = [...needles, ...kernelMarks];
/** Once for all records: nearly none contains one. */
const search = new NeedleSearch(eventNeedles);
/** Whether a body, from its first to behind its last byte, may state an event. */
export const statesEvent = (bytes: Uint8Array, from: number, to: number): boolean => search.isIn(bytes, from, to);

/** What wrote a record, by the numbers of a batch. */
export interface Origin {
  readonly resource: number;
  readonly subject: number;
  readonly machine: number;
  readonly host: string;
  /** Resource attributes, with the name of a file where they name nothing else; and the kind of the subject. */
  readonly stated: Readonly<Record<string, string>>;
  /** The same as JSON text. */
  readonly text: string;
  readonly kind: EntityKind | undefined;
}

/** Adds log records of one file with what wrote them, and the events that they state. */
export class LogRecordWriter {
  private readonly builder: BatchBuilder;
  private readonly events: LogEvents;
  private readonly format: string;
  private readonly device: string;
  private readonly fileName: string;
  private readonly logs: TableBuilder<'log'>;
  private origins = new Map<string, Origin>();

  /**
   * @param format id of the importer, which reports the events
   * @param device machine of records that name none; '': unknown
   * @param fileName path of the file, whose base name is the service of records that name nothing
   */
  constructor(
    builder: BatchBuilder,
    where: { readonly format: string; readonly device: string; readonly fileName: string },
  ) {
    this.builder = builder;
    this.events = new LogEvents(builder);
    this.format = where.format;
    this.device = where.device;
    this.fileName = where.fileName;
    this.logs = builder.table('log');
    builder.notesLogPlaces();
  }

  /** To be called when the builder has finished a batch: numbers end with it. */
  nextBatch(): void {
    this.origins = new Map();
  }

  append(record: LogRecord): void {
    const { builder, logs } = this;
    const origin = this.originOf(record);
    const row = logs.next();
    const { columns } = logs;
    const context = record.context ?? noContext;
    columns.time_ns[row] = record.time_ns;
    columns.observed_ns[row] = record.observed_ns ?? 0n;
    columns.severity[row] = record.severity;
    columns.severity_text[row] = builder.name(record.severity_text);
    columns.event_name[row] = -1;
    columns.resource[row] = origin.resource;
    columns.scope[row] = builder.name(record.scope);
    columns.trace_hi[row] = context.trace_hi;
    columns.trace_lo[row] = context.trace_lo;
    columns.span_id[row] = context.span_id;
    columns.flags[row] = context.flags;
    columns.dropped[row] = 0;
    const from = columns.body.length;
    columns.body.append(record.body);
    const { body } = columns;
    const mayStateEvent = record.isKernel === true || statesEvent(body.bytes, from, body.length);
    const step = mayStateStep(body.bytes, from, body.length) ? readStep(record.body) : undefined;
    body.endRow();
    const { attributes } = columns;
    const attributesFrom = attributes.length;
    attributes.append(textOf(step ? { ...record.attributes, ...step } : record.attributes));
    if (mayNamePlace(attributes.bytes, attributesFrom, attributes.length)) {
      const place = namedPlace(record.attributes);
      if (place) builder.logPlace({ resource: origin.text, attributes: place });
    }
    attributes.endRow();
    if (mayStateEvent) this.readEvent(record, origin);
  }

  private readEvent(record: LogRecord, origin: Origin): void {
    const { subject, machine, host } = origin;
    this.events.append({
      time_ns: record.time_ns,
      ...(record.isKernel === true ? { text: record.body, writer: 'kernel' as const } : readLogBody(record.body)),
      raw: record.raw,
      host,
      machine,
      sender: subject,
      gpu_uuid: '',
      origin: this.format,
      rankOf: (rank, on) => this.rankOf(rank, on, origin),
    });
  }

  /** A rank that a launcher names in its own log: of the service whose log it is, or in its pod. */
  private rankOf(rank: number, host: string, { stated, subject, kind }: Origin): number {
    const { builder } = this;
    const process = this.originOf({ resource: stated, rank }).subject;
    const link = (from: number, to: number) =>
      appendEdge(builder, { from, kind: 'runs_on', to, provenance: 'report of torchrun' });
    if (process !== subject && kind === 'service') link(subject, process);
    if (process !== subject && (kind === 'pod' || kind === 'container')) link(process, subject);
    if (host !== '') link(process, builder.entity('server', host, [{ kind: 'host_name', name: host }]));
    return process;
  }

  /** What wrote a record, until {@link nextBatch}. */
  originOf({ resource, rank }: Pick<LogRecord, 'resource' | 'rank'>): Origin {
    let key = rank === undefined ? '' : String(rank);
    for (const name in resource) key += `\n${name}\n${resource[name]!}`;
    const known = this.origins.get(key);
    if (known) return known;
    const origin = this.newOrigin(resource, rank);
    this.origins.set(key, origin);
    return origin;
  }

  private newOrigin(stated: Readonly<Record<string, string>>, rank: number | undefined): Origin {
    const { builder } = this;
    const attributes = { ...stated };
    if (this.device !== '' && !attributes['host.name']) attributes['host.name'] = this.device;
    let meaning = readResource(attributes);
    if (!meaning.subject && rank === undefined) {
      const name = baseName(this.fileName);
      attributes['service.name'] = name;
      meaning = readResource(attributes);
      builder.remark(`the log does not name what wrote it: called ${name} after the file`);
    }
    const numberOf = ({ kind, id, aliases, attributes: own }: NamedEntity): number =>
      builder.entity(kind, id, aliases, own);
    for (const entity of meaning.entities) numberOf(entity);
    for (const { from, kind, to } of meaning.edges)
      appendEdge(builder, { from: numberOf(from), kind, to: numberOf(to), provenance: 'log' });
    const machine = meaning.machine ? numberOf(meaning.machine) : -1;
    let subject = meaning.subject ? numberOf(meaning.subject) : -1;
    const names = rankOf({ ...attributes, 'gen_ai.training.rank': rank });
    if (names) {
      const process = rankEntity(builder, names);
      if (machine >= 0) appendEdge(builder, { from: process, kind: 'runs_on', to: machine, provenance: 'log' });
      subject = process;
    }
    const text = attributesText(attributes);
    const code = builder.resource({ entity: subject, attributes: text, schema_url: '' });
    const kind = names ? ('rank' as const) : meaning.subject?.kind;
    return { resource: code, subject, machine, host: assignedName(meaning.host), stated: attributes, text, kind };
  }
}

/** As {@link attributesText}, which is too slow for every record: empty texts stay here. */
function textOf(attributes: Readonly<Record<string, unknown>>): string {
  try {
    const text = JSON.stringify(attributes);
    return text === '{}' ? '' : text;
  } catch (error) {
    if (error instanceof RangeError) return attributesText(attributes);
    throw error;
  }
}

/** A path without its folders and extensions. */
const baseName = (path: string): string => {
  const name = path.split('/').at(-1)!;
  return name.replace(/\.(?:gz|zst)$/, '').replace(/(.)\.[^.]*$/, '$1') || path;
};
