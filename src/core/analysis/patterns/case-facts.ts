import type { EntityKind } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import type {
  ClockLevelFact,
  EdgeFact,
  EntityFact,
  LateRankFact,
  LogFact,
  NamedSpanFact,
  RetriedCallFact,
  ServiceVersionFact,
  StatedEvent,
} from '../../store/facts/reader.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import { EntityGraph, type EntityNode } from '../topology/entity-graph.ts';
import { secondsBetween } from './finding-text.ts';

/** Events of one type about one thing, and log records of one text of one thing, that are read at most. */
export const MOST_OF_ONE = 500;

/** An event as patterns read it. */
export interface PatternEvent extends Omit<StatedEvent, 'attributes'> {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Everything that patterns were read from a case. */
export interface CaseRows {
  readonly entities: readonly EntityFact[];
  readonly edges: readonly EdgeFact[];
  readonly events: readonly StatedEvent[];
  readonly logs: readonly LogFact[];
  readonly layers: readonly { readonly entity: number; readonly metric: string }[];
  readonly spans: readonly NamedSpanFact[];
  readonly lateRanks: readonly LateRankFact[];
  readonly clocks: readonly ClockLevelFact[];
  /** Length of a slice of `clocks`. */
  readonly slice_ns: bigint;
  readonly calls: readonly RetriedCallFact[];
  readonly versions: readonly ServiceVersionFact[];
  readonly measurements: ReadonlyMap<number, Measurements>;
  /** Last time of anything recorded, and of each source. */
  readonly last_ns: bigint;
  readonly sources: ReadonlyMap<number, bigint>;
}

/** The facts of a case, as detectors ask for them. */
export class CaseFacts {
  readonly rows: CaseRows;
  readonly events: readonly PatternEvent[];
  private readonly byType: ReadonlyMap<string, readonly PatternEvent[]>;
  /** Names of metrics by thing; '' of a log. */
  private readonly measured: ReadonlyMap<number, ReadonlySet<string>>;
  private readonly entitiesWithEvents: ReadonlySet<number>;
  private readonly graphs = new Map<number, EntityGraph>();
  /** When links begin or end. */
  private readonly changes: readonly bigint[];

  constructor(rows: CaseRows) {
    this.rows = rows;
    this.events = rows.events.map(toPatternEvent);
    this.byType = Map.groupBy(this.events, ({ type }) => type);
    const layers = Map.groupBy(rows.layers, ({ entity }) => entity);
    this.measured = new Map(
      [...layers].map(([entityNode, own]) => [entityNode, new Set(own.map(({ metric }) => metric))]),
    );
    this.entitiesWithEvents = new Set(this.events.map(({ entity }) => entity));
    const times = rows.edges.flatMap(({ valid_from_ns, valid_to_ns }) => [valid_from_ns, valid_to_ns]);
    this.changes = [...new Set(times)].sort((a, b) => (a < b ? -1 : 1));
  }

  /** Events of these types, in order of time. */
  of(...types: readonly EventType[]): PatternEvent[] {
    const [only] = types;
    if (types.length === 1) return [...(this.byType.get(only as string) ?? [])];
    const requestedTypes = new Set<string>(types);
    return this.events.filter(({ type }) => requestedTypes.has(type));
  }

  /** Log records that hold a text, in order of time. */
  logsContaining(...texts: readonly string[]): LogFact[] {
    return this.rows.logs.filter(({ said }) => texts.includes(said));
  }

  /** Things and links as they were at a time. */
  at(time_ns: bigint): EntityGraph {
    const edition = this.changes.findLastIndex((change) => change <= time_ns);
    const known = this.graphs.get(edition);
    if (known) return known;
    const made = new EntityGraph(this.rows.entities, this.rows.edges, time_ns);
    this.graphs.set(edition, made);
    return made;
  }

  entityNode(entity: number): EntityNode | undefined {
    return this.at(this.rows.last_ns).node(entity);
  }

  name(entity: number): string {
    return this.entityNode(entity)?.id ?? 'a thing that nothing names';
  }

  isKind(entity: number, ...kinds: readonly EntityKind[]): boolean {
    const kind = this.entityNode(entity)?.kind;
    return kind !== undefined && kinds.includes(kind);
  }

  /** Whether any of these metrics was recorded of any of these things. */
  isMeasured(entities: Iterable<number>, metrics: readonly MetricName[]): boolean {
    return [...entities].some((thing) => metrics.some((metric) => this.measured.get(thing)?.has(metric)));
  }

  /** Whether any event of a pattern, sample or log record tells of any of these things. */
  isMentioned(things: Iterable<number>): boolean {
    return [...things].some((thing) => this.entitiesWithEvents.has(thing) || this.measured.has(thing));
  }

  /** Whether a metric whose name begins so was recorded of any of these things. */
  hasMetric(things: Iterable<number>, beginning: string): boolean {
    return [...things].some((thing) =>
      [...(this.measured.get(thing) ?? [])].some((metric) => metric !== '' && metric.startsWith(beginning)),
    );
  }

  /** Whether any of these things logged, or the kernel of any of them told an event. */
  hasLog(things: Iterable<number>): boolean {
    const asked = new Set(things);
    return (
      [...asked].some((thing) => this.measured.get(thing)?.has('')) ||
      this.events.some(({ entity, origin }) => origin === 'kernel' && asked.has(entity))
    );
  }

  /** A machine with all of its parts, of a thing that is one or belongs to one. */
  machineWithParts(entity: number, time_ns: bigint): ReadonlySet<number> {
    const graph = this.at(time_ns);
    const machines = graph.machinesOf(entity);
    return new Set([entity, ...machines, ...machines.flatMap((machine) => [...graph.partsOf(machine)])]);
  }

  /** The machine of a thing; the thing itself where nothing says so. What a pod or rank belongs to is no machine. */
  machineOf(entity: number, time_ns: bigint): number {
    return this.at(time_ns).machineOf(entity);
  }

  /** How long the recording that tells an event goes on after it: for so long its silence says something. */
  recordedAfter({ source_id, time_ns }: PatternEvent): number {
    const last = this.rows.sources.get(source_id) ?? time_ns;
    return last > time_ns ? secondsBetween(time_ns, last) : 0;
  }

  /** Events of these types about what may act on a thing, within a time of it. */
  upstream(
    entity: number,
    types: readonly EventType[],
    { from_ns, to_ns }: { readonly from_ns: bigint; readonly to_ns: bigint },
  ): PatternEvent[] {
    const sources = this.at(from_ns).sourcesOf(entity);
    return this.of(...types).filter(
      (event) => sources.has(event.entity) && event.time_ns >= from_ns && event.time_ns <= to_ns,
    );
  }
}

function toPatternEvent({ attributes, ...event }: StatedEvent): PatternEvent {
  const read: unknown = attributes === '' ? {} : JSON.parse(attributes);
  const stated = typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  return { ...event, ref: `event:${event.event_id}`, attributes: stated };
}
