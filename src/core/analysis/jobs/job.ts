import type { StepProcessFact } from '../../store/facts/reader.ts';

/** Where a rank runs, as `kind:id`; empty: no link names it. */
export interface RankPlace {
  readonly gpus: readonly string[];
  readonly hosts: readonly string[];
  readonly racks: readonly string[];
}

/** A row of a job: a rank, or a process or replica that names none. */
export interface JobRank {
  /** Canonical: the rank, else the process or service; several where both names of its job have one. */
  readonly entities: readonly number[];
  /** `kind:id` of the first. */
  readonly entityKey: string;
  /** `rank 3`, or what separates a process from the others. */
  readonly name: string;
  /** null: it names no rank. */
  readonly rank: number | null;
  readonly runsOn: RankPlace;
  /** Whose steps count as its own: of spans if there are any, else of log lines, else of metrics. */
  readonly stepsFrom: 'spans' | 'lines' | 'metrics' | null;
  readonly processes: readonly StepProcessFact[];
  readonly first_ns: bigint | null;
  readonly last_ns: bigint | null;
  /** Last record of its collective operations. */
  readonly operation_ns: bigint | null;
}

export type JobState = 'running' | 'stalled' | 'ended' | 'unknown';

/**
 * Why a state is known or unknown. `in_collective`: ranks wait in an operation, and nothing shows that they went on. `counter_stands`: the
 * metric that counts its steps is still collected and does not grow. `done`: a log
 * line states that all steps are done. `failed`: records state that it, or a rank of it, ended with an error, and it did no step after. `cancelled`: somebody or a limit ended it. `gpus_idle`: its spans end, and the GPUs that it ran on were idle from then on.
 * `steps_to_end`: to the end of the recording. `operations_to_end`: so are operations, which does not show that the job went on. `quiet`: no step or operation after that time, though others
 * recorded more. `silent`: while a capture runs, no step or operation came for a while. `no_progress`: neither steps nor operations are recorded.
 */
export type StateReason =
  | 'in_collective'
  | 'counter_stands'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'gpus_idle'
  | 'steps_to_end'
  | 'operations_to_end'
  | 'quiet'
  | 'silent'
  | 'no_progress';

export interface JobStanding {
  readonly state: JobState;
  readonly reason: StateReason;
  /** When it stalled, was done, or did its last step or operation; null: unknown. */
  readonly since_ns: bigint | null;
}

/** A rank that others waited for, or that did less than they. */
export interface WaitedRank {
  /** Position in the list of ranks; -1: not in it. */
  readonly row: number;
  readonly entityKey: string;
  readonly name: string;
  readonly runsOn: RankPlace;
  /** `stalled`: others wait in an operation for it. `mismatched`: it entered another operation. `late`: it came last, again and again. `slow`: its steps took longer than before, and those of most others did not. `stopped`: no step of it is recorded any more, while most others went on. */
  readonly kind: 'stalled' | 'mismatched' | 'late' | 'slow' | 'stopped';
  readonly text: string;
  /** Numbers of the ranks that waited; empty: unknown, or all others. */
  readonly waiting: readonly number[];
  /** Operations that it came last into, and seconds that the others lost; null of a stall. */
  readonly late: number | null;
  readonly operations: number | null;
  readonly lost_s: number | null;
  /** Of `slow`: how many times as long as before its steps took; null: not measured. */
  readonly times: number | null;
  /** Of `stopped`: its last step, and that of the others; null: steps have no numbers. */
  readonly own_step: number | null;
  readonly others_step: number | null;
  readonly from_ns: bigint;
  readonly to_ns: bigint;
  readonly refs: readonly string[];
}

/** `step_back`: the number of the step goes back. `restart`: a container of the rank's pod was started again. */
export interface JobMark {
  readonly kind: 'step_back' | 'restart' | 'checkpoint';
  /** Position in the list of ranks; -1: of the job. */
  readonly row: number;
  readonly start_ns: bigint;
  /** The start, of what has no length. */
  readonly end_ns: bigint;
  readonly text: string;
  /** '': none. */
  readonly ref: string;
  readonly failed: boolean;
}

/** A time in which ranks wait in a collective operation for others. */
export interface JobStall {
  readonly from_ns: bigint;
  readonly to_ns: bigint;
  readonly wentOn: boolean;
}

/** What a job that stalled or ended early cost. */
export interface LostTime {
  readonly gpus: number;
  /** Of each GPU `gpu:ID`, or where only pods count them its host, `node:ID`, or ''; empty where ranks are counted. */
  readonly keys: readonly string[];
  /** Whether links name the GPUs, the pods of the job ask for so many, or each rank counts as one. */
  readonly counted: 'gpus' | 'pods' | 'ranks';
  readonly idle_gpu_hours: number;
  /** Since the last checkpoint; null: none is recorded. */
  readonly repeated_gpu_hours: number | null;
  readonly saved_ns: bigint | null;
}

/** A pod of a job. */
export interface JobPod {
  readonly gpus: number;
  /** `node:ID`; '': not recorded. */
  readonly host: string;
}

/** A training job as rows show it. */
export interface TrainingJob {
  /** `job:llm`, `service:pretrain`; `ranks:FOLDER` of ranks whose job no row names. */
  readonly id: string;
  /** '': ranks of an unnamed job. */
  readonly name: string;
  /** Canonical entity of the job or service; -1: none. */
  readonly entity: number;
  /** Services that it is known by too: `service:llm`. */
  readonly services: readonly string[];
  readonly ranks: readonly JobRank[];
  /** Those that ask for GPUs; empty: none is known, or not how many there were at a time. */
  readonly pods: readonly JobPod[];
  readonly hosts: number;
  readonly first_ns: bigint | null;
  readonly last_ns: bigint | null;
  readonly last_step: number | null;
  /** Median of its ranks; null: no steps. */
  readonly usual_s: number | null;
  readonly operation_ns: bigint | null;
  /** End of its last step, else of its last operation; null: neither is recorded. */
  readonly worked_ns: bigint | null;
  /** Last record of the case; while a capture runs, now. */
  readonly until_ns: bigint;
  /** End of what was recorded as it did its last step: records of later days show nothing of its GPUs. While a capture runs, now. */
  readonly meanwhile_ns: bigint;
  readonly standing: JobStanding;
  readonly stalls: readonly JobStall[];
  readonly waited: readonly WaitedRank[];
  readonly marks: readonly JobMark[];
}
