import type { EntityKind } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import type {
  ClockLevelFact,
  LateRankFact,
  LoadSliceFact,
  NamedSpanFact,
  ProcessMinuteFact,
  RetriedCallFact,
  ServiceVersionFact,
  ServingPartFact,
  StatedEvent,
  StragglerSliceFact,
} from '../../store/facts/reader.ts';
import type { Workloads } from '../gpus/gpu-workloads.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import type { ServiceSeries } from '../serving/service-series.ts';
import type { TokenLatency } from '../serving/token-latency.ts';
import type { EntityGraph, EntityNode } from '../topology/entity-graph.ts';
import { GraphsByTime } from '../topology/graphs-by-time.ts';
import { secondsBetween } from './finding-text.ts';

/** An event as detectors get it. */
export interface PatternEvent extends Omit<StatedEvent, 'attributes'> {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Rows of a case that detectors use. */
export interface CaseRows extends Workloads {
  readonly events: readonly StatedEvent[];
  readonly layers: readonly { readonly entity: number; readonly metric: string }[];
  /** Checkpoints. */
  readonly saves: readonly NamedSpanFact[];
  readonly loadSlices: readonly LoadSliceFact[];
  readonly processMinutes: readonly ProcessMinuteFact[];
  readonly lateRanks: readonly LateRankFact[];
  readonly stragglerSlices: readonly StragglerSliceFact[];
  readonly clocks: readonly ClockLevelFact[];
  /** Length of a slice of `clocks`. */
  readonly slice_ns: bigint;
  readonly calls: readonly RetriedCallFact[];
  readonly versions: readonly ServiceVersionFact[];
  readonly measurements: ReadonlyMap<number, Measurements>;
  /** Services that serve models. */
  readonly serving: readonly ServiceSeries[];
  readonly servingParts: readonly ServingPartFact[];
  readonly tokenLatencies: readonly TokenLatency[];
  /** Last time of anything recorded, and of each source. */
  readonly last_ns: bigint;
  readonly sources: ReadonlyMap<number, bigint>;
}

/** The facts of a case, for detectors. */
export class CaseFacts {
  readonly rows: CaseRows;
  readonly events: readonly PatternEvent[];
  private readonly byType: ReadonlyMap<string, readonly PatternEvent[]>;
  /** Metric names by entity; '' for a log. */
  private readonly measured: ReadonlyMap<number, ReadonlySet<string>>;
  private readonly entitiesWithEvents: ReadonlySet<number>;
  private readonly graphs: GraphsByTime;

  constructor(rows: CaseRows) {
    this.rows = rows;
    this.events = rows.events.map(toPatternEvent);
    this.byType = Map.groupBy(this.events, ({ type }) => type);
    const layers = Map.groupBy(rows.layers, ({ entity }) => entity);
    this.measured = new Map(
      [...layers].map(([entityNode, own]) => [entityNode, new Set(own.map(({ metric }) => metric))]),
    );
    this.entitiesWithEvents = new Set(this.events.map(({ entity }) => entity));
    this.graphs = new GraphsByTime(rows.entities, rows.edges);
  }

  /** Events of these types, in order of time. */
  of(...types: readonly EventType[]): PatternEvent[] {
    const [only] = types;
    if (types.length === 1) return [...(this.byType.get(only as string) ?? [])];
    const requestedTypes = new Set<string>(types);
    return this.events.filter(({ type }) => requestedTypes.has(type));
  }

  /** Entities and links at a time. */
  at(time_ns: bigint): EntityGraph {
    return this.graphs.at(time_ns);
  }

  entityNode(entity: number): EntityNode | undefined {
    return this.at(this.rows.last_ns).node(entity);
  }

  name(entity: number): string {
    return this.entityNode(entity)?.id ?? 'an unnamed entity';
  }

  /** Whether any recording calls an entity of this kind so. @param entity canonical */
  isCalled(entity: number, kind: EntityKind, id: string): boolean {
    return this.rows.entities.some((one) => one.id === id && one.kind === kind && one.canonical_id === entity);
  }

  isKind(entity: number, ...kinds: readonly EntityKind[]): boolean {
    const kind = this.entityNode(entity)?.kind;
    return kind !== undefined && kinds.includes(kind);
  }

  /** Whether any of these metrics was recorded of any of these entities. */
  isMeasured(entities: Iterable<number>, metrics: readonly MetricName[]): boolean {
    return [...entities].some((entity) => metrics.some((metric) => this.measured.get(entity)?.has(metric)));
  }

  /** Whether any event of a pattern, sample or log record is about any of these entities. */
  isMentioned(entities: Iterable<number>): boolean {
    return [...entities].some((entity) => this.entitiesWithEvents.has(entity) || this.measured.has(entity));
  }

  /** Whether a metric with this name prefix was recorded of any of these entities. */
  hasMetric(entities: Iterable<number>, beginning: string): boolean {
    return [...entities].some((entity) =>
      [...(this.measured.get(entity) ?? [])].some((metric) => metric !== '' && metric.startsWith(beginning)),
    );
  }

  /** Whether any of these entities has log records or kernel events. */
  hasLog(entities: Iterable<number>): boolean {
    const keys = new Set(entities);
    return (
      [...keys].some((entity) => this.measured.get(entity)?.has('')) ||
      this.events.some(({ entity, origin }) => origin === 'kernel' && keys.has(entity))
    );
  }

  /** The machine of an entity, with all parts. */
  machineWithParts(entity: number, time_ns: bigint): ReadonlySet<number> {
    const graph = this.at(time_ns);
    const machines = graph.machinesOf(entity);
    return new Set([entity, ...machines, ...machines.flatMap((machine) => [...graph.partsOf(machine)])]);
  }

  /** The machine of an entity, or the entity itself if unknown. The owner of a pod or rank is no machine. */
  machineOf(entity: number, time_ns: bigint): number {
    return this.at(time_ns).machineOf(entity);
  }

  /** How long the data source of an event continues after it: only there the absence of further events is evidence. */
  recordedAfter({ source_id, time_ns }: PatternEvent): number {
    const last = this.rows.sources.get(source_id) ?? time_ns;
    return last > time_ns ? secondsBetween(time_ns, last) : 0;
  }

  /** Events of these types on entities that can affect an entity, within a time range. */
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
