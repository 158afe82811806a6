import type { SqlValue } from '../../../model/storage/engine.ts';
import { nanoseconds } from '../../../model/time.ts';
import { queries } from '../queries/index.ts';
import type { LoopNames } from './pattern-facts.ts';
import type { StepBucketFact } from './request-bucket.ts';
import { COUNTS, ofSteps, STEPS, trainingSeries } from './training-series.ts';

/** A process with training steps, as spans, log lines or metrics name it. */
export interface StepProcessFact {
  /** Canonical; -1: unnamed. */
  readonly entity: number;
  /** Number of the rank, job and what else separates processes of the entity; '': none. */
  readonly rank: string;
  readonly job: string;
  readonly place: string;
  /** null: times of steps are recorded, and no number of them. */
  readonly steps: number | null;
  /** Median time of a step. */
  readonly usual_s: number;
  /** null: steps have no numbers. */
  readonly last_step: number | null;
  readonly first_ns: bigint;
  readonly last_ns: bigint;
  /** When a line stated that all steps are done; null: none did. */
  readonly done_ns: bigint | null;
  /** The last sample of the counter of its steps; null: no metric counts them. */
  readonly sampled_ns: bigint | null;
  /** When its steps began and ended, in seconds since 1970, and what one took, in no order; null: the case has too many. */
  readonly starts_s: readonly number[] | null;
  readonly ends_s: readonly number[] | null;
  readonly lengths_s: readonly number[] | null;
  /** From when and until when the counter of its steps was collected and did not grow, in seconds since 1970; null: never. */
  readonly stood_from_s: readonly number[] | null;
  readonly stood_until_s: readonly number[] | null;
}
/** How long the counter of a process has to stand: longer than so many seconds, and so many usual steps. */
export type QuietLimits = Readonly<Record<'seconds' | 'steps', number>>;
/** Where the number of a process's step went back. */
export interface StepReturnFact extends Pick<StepProcessFact, 'entity' | 'rank' | 'job' | 'place'> {
  readonly time_ns: bigint;
  readonly from_step: number;
  readonly to_step: number;
}
/** A rank whose counter of steps stopped at an earlier step than those of all others of its job, which stopped at one. */
export interface StoppedRankFact {
  /** Canonical: the job or service. */
  readonly work: number;
  /** Number of the rank; digits. */
  readonly rank: string;
  readonly metric: string;
  readonly series_id: number;
  readonly source_id: number;
  readonly ranks: number;
  readonly step: number;
  readonly own_step: number;
  /** The sample that shows its last step, as recorded. */
  readonly stopped_ns: bigint;
}
/** First and last record of an entity. */
export interface LifeSignFact {
  /** Canonical. */
  readonly entity: number;
  readonly first_ns: bigint;
  readonly last_ns: bigint;
  /** Of its collective operations; null: none. */
  readonly operation_ns: bigint | null;
}
/** A pod that asks for GPUs. */
export interface PodGpusFact {
  /** Canonical. */
  readonly pod: number;
  readonly gpus: number;
  /** What separates it from the other pods of its job, and stays when it is started anew; '': not stated. */
  readonly place: string;
  readonly is_running: boolean;
}
export interface CheckpointLineFact {
  /** Canonical. */
  readonly entity: number;
  readonly time_ns: bigint;
  readonly text: string;
  readonly ref: string;
}

/** Queries about training jobs. */
export interface JobReader {
  /** By job, process and time. @param limits fewest steps of a process; processes of a job, at most */
  serviceSpanSteps(
    names: LoopNames,
    limits: Readonly<Record<'steps' | 'processes', number>>,
  ): Promise<StepBucketFact[]>;
  /** As {@link serviceSpanSteps}, of log lines that state what a step took. */
  serviceLogRanks(limits: Readonly<Record<'steps' | 'processes', number>>): Promise<StepBucketFact[]>;
  /** As {@link serviceSpanSteps}, of metrics that carry a rank. */
  serviceMetricRanks(limits: Readonly<Record<'steps' | 'processes', number>>): Promise<StepBucketFact[]>;
  /** @param still_s for which the counters of all ranks stand, at least */
  stoppedRanks(still_s: number): Promise<StoppedRankFact[]>;
  spanStepProcesses(names: LoopNames): Promise<StepProcessFact[]>;
  lineStepProcesses(): Promise<StepProcessFact[]>;
  metricStepProcesses(quiet: QuietLimits): Promise<StepProcessFact[]>;
  /** The first value of queries about series of steps. */
  stepMetrics(): Promise<string>;
  /** In order of time. */
  stepReturns(most: number): Promise<StepReturnFact[]>;
  /** @param further canonical entities beside ranks and jobs */
  lifeSigns(further: readonly number[]): Promise<LifeSignFact[]>;
  podGpus(): Promise<PodGpusFact[]>;
  /** In order of time. @param pattern a regular expression; case does not matter */
  checkpointLines(pattern: string, most: number): Promise<CheckpointLineFact[]>;
}

type RunQuery = <T>(sql: string, values?: readonly SqlValue[]) => Promise<T[]>;

export const createJobReader = (runQuery: RunQuery): JobReader => ({
  serviceSpanSteps: ({ steps, loads, evaluations, loaders }, limits) =>
    runQuery(queries.serviceSpanSteps, [
      ...[steps, loads, evaluations, loaders],
      BigInt(limits.steps),
      BigInt(limits.processes),
    ]),
  serviceLogRanks: (limits) => runQuery(queries.serviceLogRanks, ['', BigInt(limits.steps), BigInt(limits.processes)]),
  serviceMetricRanks: (limits) =>
    ofSteps(runQuery, queries.serviceMetricRanks, [BigInt(limits.steps), BigInt(limits.processes)]),
  stoppedRanks: (still_s) => ofSteps(runQuery, queries.stoppedRanks, [nanoseconds(still_s)], COUNTS),
  spanStepProcesses: ({ steps, loads, evaluations, loaders }) =>
    runQuery(queries.spanStepProcesses, [steps, loads, evaluations, loaders]),
  lineStepProcesses: () => runQuery(queries.lineStepProcesses, ['']),
  metricStepProcesses: ({ seconds, steps }) => ofSteps(runQuery, queries.metricStepProcesses, [seconds, steps]),
  stepMetrics: async () => (await trainingSeries(runQuery, STEPS)) ?? '[]',
  stepReturns: (most) => runQuery(queries.lineStepReturns, ['', BigInt(most)]),
  podGpus: () => runQuery(queries.podGpus),
  lifeSigns: (further) => runQuery(queries.lifeSigns, [JSON.stringify(further)]),
  checkpointLines: (pattern, most) => runQuery(queries.checkpointLines, [pattern, BigInt(most)]),
});
