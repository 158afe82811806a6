import { type EntityKind, entityKey } from '../../../model/entity.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { readEdgeEdits } from '../case-file/annotations.ts';
import { queries } from '../queries/index.ts';
import { createDifferenceReader, type DifferenceReader } from './difference-facts.ts';
import { applyEdgeEdits, type ValidEdge } from './edited-edges.ts';
import { type EventFact, withDetails } from './event-fact.ts';
import { createJobReader, type JobReader } from './job-facts.ts';
import type { LoadLimits, LostLoadFact } from './load-facts.ts';
import { createLogReader, type LogReader } from './log-facts.ts';
import { createNoticeReader, type NoticeReader } from './notice-facts.ts';
import { createPatternReader, type PatternReader } from './pattern-facts.ts';
import { mayPropose } from './recorded-edges.ts';
import type { RequestBucketFact } from './request-bucket.ts';
import { createRunQuery, type ReadState } from './run-query.ts';
import { createServingReader, type ServingReader } from './serving-facts.ts';
import type { ShiftFact, ShiftLimits } from './shift-facts.ts';
import { createSoftwareReader, type RunQuery, type SoftwareReader } from './software-facts.ts';
import type { AroundEvent, StatedReadingFact } from './stated-reading.ts';
import { createTrainingReader, type TrainingReader } from './training-facts.ts';
import { COUNTS, ofSteps } from './training-series.ts';

export type {
  DifferenceFilter,
  HistogramPointFact,
  PeerFact,
  PointFact,
  ResourceFact,
  Shares,
  SpanNumberFact,
  SpanValueFact,
  SpreadFact,
} from './difference-facts.ts';
export type { EventFact } from './event-fact.ts';
export type { CheckpointLineFact, LifeSignFact, PodGpusFact, StepProcessFact, StepReturnFact } from './job-facts.ts';
export type { LostLoadFact } from './load-facts.ts';
export type { LogLines } from './log-facts.ts';
export type { NoticeReader, RecentBlock } from './notice-facts.ts';
export type {
  ClockLevelFact,
  LateRankFact,
  LoadSliceFact,
  LoopNames,
  NamedSpanFact,
  ProcessMinuteFact,
  RetriedCallFact,
  ServiceVersionFact,
  StatedEvent,
  StragglerSliceFact,
} from './pattern-facts.ts';
export type { PartBucketFact, RequestBucketFact, StepBucketFact } from './request-bucket.ts';
export type { CountedDurationFact, RequestedTokensFact, ServingFact, ServingPartFact } from './serving-facts.ts';
export type { ShiftFact } from './shift-facts.ts';
export type {
  CounterBegunFact,
  LogBodyFact,
  MetricShiftFact,
  Phases,
  SpanShiftFact,
  SpanStepFact,
} from './software-facts.ts';
export type { StatedReadingFact } from './stated-reading.ts';
export type {
  CollectiveProgressFact,
  CollectiveRow,
  FailureEventFact,
  IdleGpuFact,
  StallEventFact,
  TrainingEventFact,
  TrainingRunFact,
  WorkEndFact,
} from './training-facts.ts';

export interface EntityFact {
  readonly entity_id: number;
  readonly canonical_id: number;
  readonly kind: EntityKind;
  readonly id: string;
}
export type EdgeFact = ValidEdge;
/** Gauges of a service at one time; null where none was recorded. */
export interface GaugeFact {
  readonly service: number;
  readonly time_ns: bigint;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly error_rate: number | null;
  readonly throughput: number | null;
}
/** A histogram and what it is about. */
export interface HistogramSeriesFact {
  readonly series_id: number;
  readonly metric: string;
  readonly kind: 'histogram' | 'exponential_histogram' | 'summary';
  readonly entity_kind: EntityKind;
  /** UCUM, or ''. */
  readonly unit: string;
  /** JSON object text, or ''. */
  readonly attributes: string;
}
export interface HistogramFact {
  readonly service: number;
  readonly series_id: number;
  readonly metric: string;
  readonly kind: 'histogram' | 'exponential_histogram';
  readonly unit: string | null;
  readonly temporality: number;
  readonly attributes: string;
  readonly start_ns: bigint;
  readonly time_ns: bigint;
  readonly count: number;
  readonly detail: string;
}
/** A counter of a service that may count requests. */
export interface CounterSeriesFact {
  readonly series_id: number;
  readonly service: number;
  readonly metric: string;
  /** JSON object text, or ''. */
  readonly attributes: string;
}
/** Requests that a service counted in a slice of time; 0 where nothing counts them. */
export interface CountedRequestsFact {
  readonly service: number;
  readonly time_ns: bigint;
  readonly width_ns: bigint;
  readonly failed: number;
  readonly passed: number;
  readonly total: number;
}
/** An event by a requested name; names may be ambiguous. */
export interface NamedEvent {
  readonly name: string;
  readonly event_id: number;
  readonly entity: number;
  readonly type: string;
}
export interface CallFact {
  readonly caller: number;
  readonly callee: number;
}

/** A series from which events may be derived. */
export interface WatchedEntity {
  readonly series_id: number;
  readonly metric: string;
  readonly entity: number;
  readonly entity_kind: EntityKind;
  /** JSON object text, or ''. */
  readonly attributes: string;
  readonly unit: string;
}
export interface WatchedSeries extends WatchedEntity {
  readonly samples: number;
  /** To a thousandth. */
  readonly median: number | null;
}
/** The last sample of a series, and what came before it counted. */
export interface WatchedState extends Pick<ChangeFact, 'series_id' | 'source_id' | 'time_ns' | 'clock_ns' | 'value'> {
  readonly metric: string;
  readonly samples: number;
  /** JSON objects: how often which distance of samples (ms), and which value (to a thousandth), was seen; null for none. */
  readonly distances: string | null;
  readonly values: string | null;
}
/** A sample that differs from the one before it; a series' first sample has none before. */
export interface ChangeFact {
  readonly series_id: number;
  readonly source_id: number;
  /** As recorded. */
  readonly time_ns: bigint;
  /** On the case's clock. */
  readonly clock_ns: bigint;
  readonly value: number;
  readonly before_ns: bigint | null;
  readonly before_value: number | null;
  /** Usual distance of samples; null when there is but one. */
  readonly floor_s: number | null;
}
/** A sample by which a series left its limits (-1 below, 1 above) or came back (0). */
export interface LevelFact extends ChangeFact {
  readonly side: number;
  readonly before_side: number | null;
}

/** Known clock of a data source before estimation. */
export interface ClockFact {
  readonly source_id: number;
  readonly name: string;
  /** Already contained in the events' `time_ns`. */
  readonly clock_offset_ns: bigint;
  /** 95 %; 0 if not stated. */
  readonly clock_uncertainty_ns: bigint;
  /** The investigator set the offset: it is never changed. */
  readonly fixed: boolean;
  /** First and last row as recorded, null when it has none. */
  readonly first_ns: bigint | null;
  readonly last_ns: bigint | null;
  /** One of several recorders in a file: they were exported together, and mostly agree. */
  readonly isReporter?: true;
}
/** A derived event happened up to this many seconds before its sample. */
export interface FloorFact {
  readonly event_id: number;
  readonly floor_s: number;
}

/** The time that a data source covers, both ends included. */
export interface RecordingFact {
  readonly name: string;
  readonly first_ns: bigint;
  readonly last_ns: bigint;
}

/** The facts that analysis reasons from; reads only. */
export interface Reader
  extends SoftwareReader,
    DifferenceReader,
    JobReader,
    LogReader,
    NoticeReader,
    PatternReader,
    ServingReader,
    TrainingReader {
  entities(): Promise<EntityFact[]>;
  /** Canonical entities of services that read hardware and do no work on it: exporters, monitoring agents. */
  observers(): Promise<ReadonlySet<number>>;
  /** Valid edges: with the investigator's edits, without open proposals. */
  edges(): Promise<EdgeFact[]>;
  events(from_ns: bigint, to_ns: bigint): Promise<EventFact[]>;
  /** @param except types that do not count */
  eventCount(except?: Iterable<string>): Promise<number>;
  /** Data sources with times, by their beginning. */
  recordings(): Promise<RecordingFact[]>;
  /** How many events were recorded of each kind of entity; '' of those that name none. */
  eventKinds(): Promise<{ readonly kind: EntityKind | ''; readonly events: number }[]>;
  /** @param names original ids, or `event:` and a number */
  eventsNamed(names: readonly string[]): Promise<NamedEvent[]>;
  /** Of these events those that state a reading, with the samples around them. @param events numbers */
  statedReadings(events: readonly number[], around: AroundEvent): Promise<StatedReadingFact[]>;
  clockSources(): Promise<ClockFact[]>;
  samplingFloors(from_ns: bigint, to_ns: bigint): Promise<FloorFact[]>;
  serviceGauges(): Promise<GaugeFact[]>;
  serviceSpans(): Promise<RequestBucketFact[]>;
  /** Services without spans of their own, as the spans of their callers measured them. @param share one trace of so many: {@link callShare} */
  calledServices(share: bigint): Promise<RequestBucketFact[]>;
  /** @param measured services of which no logs are read */
  serviceLogRequests(measured: Iterable<number>): Promise<RequestBucketFact[]>;
  /** Of jobs, as their logs state steps. @param measured services of which no logs are read */
  serviceLogSteps(measured: Iterable<number>): Promise<RequestBucketFact[]>;
  /** Of jobs, as their counters state steps. @param measured services that are left out */
  countedSteps(measured: Iterable<number>): Promise<RequestBucketFact[]>;
  histogramSeries(): Promise<HistogramSeriesFact[]>;
  serviceHistograms(series: readonly number[]): Promise<HistogramFact[]>;
  counterSeries(): Promise<CounterSeriesFact[]>;
  /** By service and time. @param series numbers of counters, by what they count */
  countedRequests(
    series: Readonly<Record<'failed' | 'passed' | 'all', readonly number[]>>,
  ): Promise<CountedRequestsFact[]>;
  /** One trace of so many is looked at by {@link Reader.calls}: a power of two, by how many spans there are. @param most that are read */
  callShare(most?: number): Promise<bigint>;
  calls(from_ns: bigint, to_ns: bigint, share: bigint): Promise<CallFact[]>;
  recordedKinds(): Promise<EntityKind[]>;
  /** Types of events by the kind of entity; '' where a series of one of these metrics was recorded. */
  eventTypes(metrics: readonly string[]): Promise<{ readonly kind: EntityKind; readonly type: string }[]>;
  /** Types of events that an entity reported more than once. */
  repeatedEvents(): Promise<{ readonly entity: number; readonly type: string; readonly times: number }[]>;
  /** Canonical entities about which any event or sample was recorded. */
  watchedEntities(): Promise<number[]>;
  /** Of these, those with samples. */
  sampledEntities(): Promise<number[]>;
  /** Which source recorded anything about which canonical entity. */
  reporters(): Promise<{ readonly entity: number; readonly source_id: number }[]>;
  watchedSeries(metrics: readonly string[]): Promise<WatchedSeries[]>;
  lostLoads(least: LoadLimits): Promise<LostLoadFact[]>;
  levelShifts(limits: ShiftLimits): Promise<ShiftFact[]>;
  watchedEntitySeries(metrics: readonly string[]): Promise<WatchedEntity[]>;
  /** @param series all when left out */
  watchedState(metrics: readonly string[], series?: readonly number[]): Promise<WatchedState[]>;
  /** @param series all when left out */
  watchedChanges(metrics: readonly string[], series?: readonly number[]): Promise<ChangeFact[]>;
  /** @param lines `series,low,low_back,high,high_back`, an empty number meaning no such limit */
  watchedLevels(lines: readonly string[]): Promise<LevelFact[]>;
}

/** Spans that are joined with their parents for the call graph; with more, a share of the traces. */
const MOST_JOINED = 2_000_000;

async function readCallShare(runQuery: RunQuery, most = MOST_JOINED): Promise<bigint> {
  // Parents may lie before the window: all spans count, not only its own.
  const [counted] = await runQuery<{ spans: number }>(
    'select coalesce(sum(spans), 0)::double as spans from span_count',
  );
  return BigInt(2 ** Math.max(0, Math.ceil(Math.log2((counted?.spans ?? 0) / most))));
}

/** A query whose first value is a list of metrics, if the case has any of these. */
async function ofMetrics<T>(
  runQuery: RunQuery,
  sql: string,
  [metrics, series]: readonly [metrics: readonly string[], series?: readonly number[]],
): Promise<T[]> {
  const recorded = await runQuery<{ readonly metric: string }>(queries.metricNames);
  if (!recorded.some(({ metric }) => metrics.includes(metric))) return [];
  return runQuery<T>(sql, [metrics.join(), ...(series ? [series.join()] : [])]);
}

/** Most events state none: to ask this takes a fifth of what the query with the samples takes. */
const STATE_READING = `select event_id from event
  where event_id in (select unnest(string_split($1::varchar, ','))::integer) and contains(details, '"reading"') order by event_id`;

async function readStatedReadings(
  runQuery: RunQuery,
  events: readonly number[],
  { around_s, beside_s }: AroundEvent,
): Promise<StatedReadingFact[]> {
  const stating = events.length === 0 ? [] : await runQuery<{ event_id: number }>(STATE_READING, [events.join()]);
  if (stating.length === 0) return [];
  const ids = stating.map(({ event_id }) => event_id).join();
  return withDetails(await runQuery(queries.statedReadings, [ids, around_s, beside_s]));
}

/** Counted edges, with the investigator's edits. */
async function readEdges(session: Session, runQuery: RunQuery): Promise<EdgeFact[]> {
  const recorded = await runQuery<EdgeFact>((await mayPropose(session)) ? queries.countedEdges : queries.statedEdges);
  const edits = await readEdgeEdits(session);
  if (edits.length === 0) return recorded;
  const entities = await runQuery<EntityFact>(queries.entities);
  const byName = new Map(entities.map(({ kind, id, canonical_id }) => [entityKey(kind, id), canonical_id]));
  return applyEdgeEdits(recorded, edits, (name) => byName.get(name)).edges.map(({ edit: _, ...edge }) => edge);
}

/** Facts of the case as it is when they are asked for. */
export function createReader(session: Session, signal?: AbortSignal, state?: ReadState): Reader {
  const runQuery = createRunQuery(session, signal, state);
  const entitiesOf = async (query: string): Promise<number[]> =>
    (await runQuery<{ entity: number }>(query)).map(({ entity }) => entity);
  return {
    ...createSoftwareReader(runQuery),
    ...createTrainingReader(runQuery),
    ...createDifferenceReader(runQuery),
    ...createLogReader(session, signal),
    ...createJobReader(runQuery),
    ...createNoticeReader(runQuery),
    ...createPatternReader(runQuery),
    ...createServingReader(runQuery),
    entities: () => runQuery(queries.entities),
    observers: async () => new Set(await entitiesOf(queries.observers)),
    edges: () => readEdges(session, runQuery),
    events: async (from, to) => withDetails(await runQuery(queries.events, [from, to])),
    eventCount: async (except = []) =>
      (await runQuery<{ n: number }>(queries.eventCount, [[...except].join()]))[0]?.n ?? 0,
    recordings: () =>
      runQuery('select name, first_ns, last_ns from source where first_ns is not null order by first_ns, source_id'),
    eventKinds: () => runQuery(queries.eventKinds),
    eventsNamed: async (names) => (names.length === 0 ? [] : runQuery(queries.eventsNamed, [names.join('\u001f')])),
    statedReadings: (events, around) => readStatedReadings(runQuery, events, around),
    clockSources: () => runQuery(queries.clockSources),
    samplingFloors: (from, to) => runQuery(queries.samplingFloors, [from, to]),
    serviceGauges: () => runQuery(queries.serviceGauges),
    serviceSpans: () => runQuery(queries.serviceSpans),
    calledServices: (share) => runQuery(queries.calledServices, [share]),
    serviceLogRequests: (measured) => runQuery(queries.serviceLogRequests, [[...measured].join()]),
    countedSteps: (measured) => ofSteps(runQuery, queries.countedSteps, [[...measured].join()], COUNTS),
    serviceLogSteps: (measured) => runQuery(queries.serviceLogSteps, [[...measured].join()]),
    histogramSeries: () => runQuery(queries.histogramSeries),
    serviceHistograms: (series) => runQuery(queries.serviceHistograms, [series.join()]),
    counterSeries: () => runQuery(queries.requestCounters),
    countedRequests: ({ failed, passed, all }) =>
      runQuery(queries.countedRequests, [failed.join(), passed.join(), all.join()]),
    callShare: (most) => readCallShare(runQuery, most),
    calls: (from, to, share) => runQuery(queries.calls, [from, to, share]),
    watchedSeries: (metrics) => ofMetrics(runQuery, queries.watchedSeries, [metrics]),
    levelShifts: ({ samples, flowShare, kelvin, backShare, pressure, pressureShare, pressureTimes }) =>
      runQuery(queries.levelShifts, [samples, flowShare, kelvin, backShare, pressure, pressureShare, pressureTimes]),
    lostLoads: ({ watts, samples, idleShare, amperes }) =>
      runQuery(queries.lostLoads, [watts, samples, idleShare, amperes]),
    watchedEntitySeries: (metrics) => ofMetrics(runQuery, queries.watchedEntitySeries, [metrics]),
    watchedState: (metrics, series = []) => ofMetrics(runQuery, queries.watchedState, [metrics, series]),
    watchedChanges: (metrics, series = []) => ofMetrics(runQuery, queries.watchedChanges, [metrics, series]),
    watchedLevels: async (lines) => (lines.length === 0 ? [] : runQuery(queries.watchedLevels, [lines.join(';')])),
    repeatedEvents: () => runQuery(queries.repeatedEvents),
    sampledEntities: () => entitiesOf(queries.sampledEntities),
    watchedEntities: () => entitiesOf(queries.watchedEntities),
    reporters: () => runQuery(queries.reporters),
    eventTypes: (metrics) => runQuery(queries.eventTypes, [metrics.join()]),
    recordedKinds: async () => (await runQuery<{ kind: EntityKind }>(queries.recordedKinds)).map((row) => row.kind),
  };
}
