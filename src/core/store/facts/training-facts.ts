import { queries } from '../queries/index.ts';
import type { RunQuery } from './software-facts.ts';

/** One collective operation as one rank recorded it, of a recording in which something hangs. */
export interface CollectiveRow {
  readonly source_id: number;
  readonly entity: number;
  readonly rank_name: string;
  readonly group_id: string;
  readonly group_name: string;
  /** `0,1,2`; null where the recording does not list them. */
  readonly group_ranks: string | null;
  readonly sequence: bigint;
  readonly p2p_sequence: bigint;
  readonly operation: string;
  readonly state: string;
  readonly created_ns: bigint;
  readonly started_ns: bigint;
  readonly completed_ns: bigint;
  readonly dtype: string;
  readonly input_sizes: string;
  readonly output_sizes: string;
  readonly attributes: string;
}

/** Operations that the ranks of a job completed in one slice of time, `slice` slices of `width_ns` after the first. */
export interface CollectiveProgressFact {
  readonly job: number;
  /** Of all operations of the job that completed. */
  readonly first_ns: bigint;
  readonly last_ns: bigint;
  readonly width_ns: bigint;
  readonly slice: number;
  readonly operations: number;
}

/** A GPU that worked until one time and did nothing until another, its last sample. */
export interface IdleGpuFact {
  readonly gpu: number;
  readonly busy_until_ns: bigint;
  readonly idle_until_ns: bigint;
}

/** The end of the last span of a service or job, and the time from one end to the next before that: the median, and the one in which half of the time lies. */
export interface WorkEndFact {
  readonly service: number;
  readonly last_ns: bigint;
  readonly median_ns: bigint;
  readonly usual_ns: bigint;
}

/** A rank that the others wait for, or a watchdog that ended a collective operation after it had waited so long; 0: not stated. */
export interface StallEventFact {
  readonly entity: number;
  readonly type: 'collective_stalled' | 'collective_mismatch' | 'collective_timeout';
  readonly event_id: number;
  readonly time_ns: bigint;
  readonly waited_s: number;
}

/** States that a job failed, or that a pod ended before it was done. */
export interface FailureEventFact {
  readonly entity: number;
  readonly type:
    | 'job_failed'
    | 'rank_failed'
    | 'rank_ended'
    | 'pod_failed'
    | 'pod_oom_killed'
    | 'pod_evicted'
    | 'pod_preempted';
  readonly event_id: number;
  readonly time_ns: bigint;
}

/** A training job that was started again, or whose loss is not finite any more. */
export interface TrainingEventFact {
  readonly job: number;
  readonly type: 'training_resumed' | 'training_diverged';
  /** When it did its first step again; when the loss was not finite for the first time. */
  readonly time_ns: bigint;
  /** How long before that all was well for the last time. */
  readonly gap_s: number;
  /** How long it then did again what it had done; how long it went on without a finite loss. */
  readonly lasted_s: number;
  /** Of one step before; null: unknown. */
  readonly step_s: number | null;
}

/** Steps of a training job that ascend, by its log or its spans: as long as it ran without starting again. Times are corrected. */
export interface TrainingRunFact {
  readonly service: number;
  readonly resource: number;
  readonly source_id: number;
  /** Of the clock of the first line. */
  readonly offset_ns: bigint;
  readonly first_ns: bigint;
  readonly last_ns: bigint;
  readonly first_step: number;
  readonly last_step: number;
  readonly lines: number;
  /** The table of these. */
  readonly kept_in: 'log' | 'span';
  /** The last line with a finite loss. */
  readonly finite_ns: bigint | null;
  /** The first line of those at the end of the run whose loss is not finite; null: none. */
  readonly diverged_ns: bigint | null;
  readonly diverged_step: number | null;
}

/** What is recorded of training jobs: collective operations, steps, and GPUs that fell idle. */
export interface TrainingReader {
  collectives(): Promise<CollectiveRow[]>;
  /** By job and slice, of recordings with an incomplete operation. */
  collectiveProgress(): Promise<CollectiveProgressFact[]>;
  idleGpus(): Promise<IdleGpuFact[]>;
  /** Of those with several spans. @param within_ns before the last end: which spans count */
  workEnds(services: readonly number[], within_ns: bigint): Promise<WorkEndFact[]>;
  /** In order of time. */
  stallEvents(): Promise<StallEventFact[]>;
  /** In order of time. */
  failureEvents(): Promise<FailureEventFact[]>;
  /** In order of time. */
  trainingEvents(): Promise<TrainingEventFact[]>;
  /** By job and time, of the rank with the most steps. @param names of spans of a step, a regular expression */
  trainingRuns(names: string): Promise<TrainingRunFact[]>;
  rankEntities(): Promise<{ readonly entity_id: number; readonly id: string }[]>;
}

export function createTrainingReader(runQuery: RunQuery): TrainingReader {
  return {
    collectives: () => runQuery(queries.collectives),
    collectiveProgress: () => runQuery(queries.collectiveProgress),
    idleGpus: () => runQuery(queries.idleGpus),
    workEnds: (services, within_ns) => runQuery(queries.workEnds, [services.join(), within_ns]),
    stallEvents: () => runQuery(queries.stallEvents),
    failureEvents: () => runQuery(queries.failureEvents),
    trainingEvents: () => runQuery(queries.trainingEvents),
    trainingRuns: (names) => runQuery(queries.trainingRuns, ['', names]),
    rankEntities: () => runQuery(queries.rankEntities),
  };
}
