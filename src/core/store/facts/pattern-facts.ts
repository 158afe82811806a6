import type { SqlValue } from '../../../model/storage/engine.ts';
import { queries } from '../queries/index.ts';
import { type EventFact, withDetails } from './event-fact.ts';
import { trainingSeries } from './training-series.ts';

/** An event with its attributes. */
export interface StatedEvent extends EventFact {
  /** JSON object text, or ''. */
  readonly attributes: string;
  /** How many of its type were recorded about its entity; not all of them are read. */
  readonly total: number;
}
export interface RecordedLayerFact {
  readonly entity: number;
  /** '' of a log. */
  readonly metric: string;
}
export interface NamedSpanFact {
  readonly ref: string;
  /** Canonical; -1: unnamed. */
  readonly entity: number;
  /** Number of the rank, and what else separates processes of the entity; '': none. */
  readonly rank: string;
  readonly place: string;
  /** As the spans name it; '': unknown. */
  readonly job: string;
  readonly name: string;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly failed: boolean;
}
/** Steps of a process in one slice of time, with what it waited for input in them. */
export interface LoadSliceFact {
  /** Canonical; -1: unnamed. */
  readonly entity: number;
  /** Number of the rank, and what else separates processes of the entity; '': none. */
  readonly rank: string;
  readonly place: string;
  /** As the spans name it; '': unknown. */
  readonly job: string;
  /** Key of a thread of the process; its slices are in order of time. */
  readonly thread: string;
  /** Recorded steps; without, the time from one load to the next; or what log lines or metrics state of steps. */
  readonly measured: 'steps' | 'loads' | 'stated';
  readonly steps: number;
  /** Steps that waited for a share of their time from which they stall. */
  readonly stalled: number;
  readonly time_s: number;
  readonly load_s: number;
  /** The longest load, and its span, sample or log record. */
  readonly longest_s: number;
  readonly ref: string;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
}
/** A process in one minute. */
export interface ProcessMinuteFact {
  /** Canonical. */
  readonly entity: number;
  /** Start of the minute. */
  readonly time_ns: bigint;
  readonly cuda: number;
  readonly switches: number;
  readonly ref: string;
  /** Its name is one of a data loader. */
  readonly is_loader: boolean;
}
/** What spans of a training loop are called: regular expressions, case does not matter. */
export interface LoopNames {
  readonly steps: string;
  readonly loads: string;
  readonly evaluations: string;
  /** Loads by names that only a data loader has. */
  readonly loaders: string;
  /** The time that a step waited for data, and the time of a step, in log lines; the first group is the number. */
  readonly load_in_line: string;
  readonly step_in_line: string;
}
/** A rank that others waited for in collectives that completed. */
export interface LateRankFact {
  readonly source_id: number;
  readonly group_name: string;
  readonly entity: number;
  readonly ranks: number;
  /** Of the group, recorded as completed by several ranks. */
  readonly operations: number;
  /** Of these it came last into, and late. */
  readonly late: number;
  /** What a usual rank of the group waited for it, in sum. */
  readonly lost_s: number;
  readonly first_ns: bigint;
  readonly last_ns: bigint;
  /** Its worst operations, separated by a space. */
  readonly refs: string;
}

/** A slice of time in which metrics show how long operations of a group of peers took, and one of these that is unlike the others. */
export interface StragglerSliceFact {
  readonly group_id: string;
  /** '' where the series name none. */
  readonly group_name: string;
  readonly metric: string;
  /** Of CUDA, as its series name it; '': unknown. */
  readonly operation: string;
  /** Waits; otherwise durations, which hold them. */
  readonly is_wait: boolean;
  /** A straggler takes longer than its peers, as in CUDA operations; otherwise it waits least, as the last rank of a collective. */
  readonly is_longer: boolean;
  /** Number of the slice; slices without operations have no row. */
  readonly slice: bigint;
  readonly slice_ns: bigint;
  readonly ranks: number;
  /** Of a usual member; where a straggler takes longer, its own. */
  readonly operations: number;
  /** Mean of one operation: of a usual member, and of this one. */
  readonly usual_ns: number;
  readonly own_ns: number;
  /** What separates its series from those of its peers; as rank, UUID of a GPU and host, where they do: '' if not. */
  readonly member: string;
  readonly rank: string;
  readonly gpu: string;
  readonly host: string;
  /** Canonical entity of its series. */
  readonly entity: number;
  readonly series_id: number;
  readonly sample_ns: bigint;
  /** Slices in which it was like its peers. */
  readonly usual_slices: number;
}
export interface ClockLevelFact {
  readonly entity: number;
  readonly slice: bigint;
  readonly clock_mhz: number;
  /** Percent; null where it was not recorded. */
  readonly busy: number | null;
  readonly series_id: number;
  readonly sample_ns: bigint;
}
/** One minute of a client operation. */
export interface RetriedCallFact {
  readonly service: number;
  readonly name: string | null;
  readonly minute: bigint;
  readonly calls: number;
  readonly failures: number;
  /** Calls after a failed one for the same request, and these requests. */
  readonly retries: number;
  readonly requests: number;
  /** A span of the request that was retried most; '' for none. */
  readonly ref: string;
  readonly callee: number;
}
export interface ServiceVersionFact {
  readonly service: number;
  readonly version: string;
  readonly first_ns: bigint;
  readonly last_ns: bigint;
  readonly ref: string;
}

/** Queries of the patterns, in addition to those of the correlator. */
export interface PatternReader {
  /** In order of time. */
  patternEvents(types: readonly string[], mostOfOne: number): Promise<StatedEvent[]>;
  recordedLayers(): Promise<RecordedLayerFact[]>;
  /** @param pattern a regular expression; case does not matter */
  namedSpans(pattern: string, most: number): Promise<NamedSpanFact[]>;
  /** By process and time. @param stalled share of a step @param most rows, by longer slices; no less than 100 of each process */
  loadSlices(names: LoopNames, stalled: number, most: number): Promise<LoadSliceFact[]>;
  /** By time. @param loader names of processes of a data loader: a regular expression, case does not matter */
  processMinutes(loader: string, most: number): Promise<ProcessMinuteFact[]>;
  /** @param least_ns what is shorter is no delay */
  lateRanks(least_ns: bigint): Promise<LateRankFact[]>;
  /** By group and time. @param slice_ns shortest slice @param longer times of a usual member that are much longer */
  stragglerSlices(slice_ns: bigint, longer: number): Promise<StragglerSliceFact[]>;
  clockLevels(slice_ns: bigint): Promise<ClockLevelFact[]>;
  retriedCalls(): Promise<RetriedCallFact[]>;
  serviceVersions(): Promise<ServiceVersionFact[]>;
}

type RunQuery = <T>(sql: string, values?: readonly SqlValue[]) => Promise<T[]>;

/** In metrics of training programs, or in the lines of logs. */
async function statedLoads(
  runQuery: RunQuery,
  { load_in_line, step_in_line, evaluations }: LoopNames,
  limits: readonly [stalled: number, most: bigint],
): Promise<LoadSliceFact[]> {
  const known = await trainingSeries(runQuery, ['data_wait', 'step_time', 'loop_time']);
  if (known === null && (await runQuery('select 1 from log limit 1')).length === 0) return [];
  return runQuery(queries.statedLoads, [known ?? '[]', load_in_line, step_in_line, ...limits, evaluations]);
}

export const createPatternReader = (runQuery: RunQuery): PatternReader => ({
  patternEvents: async (types, most) =>
    withDetails(await runQuery(queries.patternEvents, [types.join(), BigInt(most)])),
  recordedLayers: () => runQuery(queries.recordedLayers),
  namedSpans: (pattern, most) => runQuery(queries.namedSpans, [pattern, BigInt(most)]),
  processMinutes: (loader, most) => runQuery(queries.processMinutes, [loader, BigInt(most)]),
  loadSlices: async (names, stalled, most) => [
    ...(await runQuery<LoadSliceFact>(queries.loadSlices, [
      names.steps,
      names.loads,
      names.evaluations,
      names.loaders,
      stalled,
      BigInt(most),
    ])),
    ...(await statedLoads(runQuery, names, [stalled, BigInt(most)])),
  ],
  stragglerSlices: async (slice_ns, longer) =>
    runQuery(queries.stragglerSlices, [
      slice_ns,
      longer,
      (await trainingSeries(runQuery, ['collective_time'])) ?? '[]',
    ]),
  lateRanks: (least_ns) => runQuery(queries.lateRanks, [least_ns]),
  clockLevels: (slice_ns) => runQuery(queries.clockLevels, [slice_ns]),
  retriedCalls: () => runQuery(queries.retriedCalls),
  serviceVersions: () => runQuery(queries.serviceVersions),
});
