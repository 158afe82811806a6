import { nanoseconds } from '../../../model/time.ts';
import { impact } from '../impact/parameters.ts';
import type { JobStall, JobStanding } from './job.ts';
import { jobs } from './parameters.ts';

/** What shows whether a job runs. */
export interface Progress {
  /** End of its last step, of its last collective operation; null: none is recorded. */
  readonly step_ns: bigint | null;
  readonly operation_ns: bigint | null;
  /** Median time of a step; null: unknown. */
  readonly usual_s: number | null;
  /** The last sample of a counter of its steps; null: no metric counts them. */
  readonly sampled_ns: bigint | null;
  /** When a line stated that it is done, and when its GPUs became idle with its last span; null: nothing shows that. */
  readonly done_ns: bigint | null;
  readonly ended_ns: bigint | null;
  /** When records stated last that it, or a rank of it, failed; null: none does. */
  readonly failed_ns: bigint | null;
  /** When somebody or a limit ended it; null: no record states that. */
  readonly cancelled_ns: bigint | null;
  readonly stalls: readonly JobStall[];
  /** Last record of the case. */
  readonly until_ns: bigint;
}

/** The state of a job at the end of the recording, as far as rows show it. */
export function standingOf(progress: Progress): JobStanding {
  const { step_ns, operation_ns, done_ns, ended_ns, until_ns, usual_s } = progress;
  for (const reason of ['failed', 'cancelled'] as const) {
    const since_ns = progress[`${reason}_ns`];
    // Its other ranks may do one more step.
    if (since_ns !== null && (step_ns === null || step_ns <= since_ns + nanoseconds(impact.endedSeconds)))
      return { state: 'ended', reason, since_ns };
  }
  const stall = progress.stalls.at(-1);
  if (stall && !stall.wentOn && (step_ns === null || step_ns <= stall.to_ns))
    return { state: 'stalled', reason: 'in_collective', since_ns: stall.from_ns };
  if (done_ns !== null && (step_ns === null || done_ns >= step_ns))
    return { state: 'ended', reason: 'done', since_ns: done_ns };
  if (ended_ns !== null) return { state: 'ended', reason: 'gpus_idle', since_ns: ended_ns };
  const last = step_ns ?? operation_ns;
  if (last === null) return { state: 'unknown', reason: 'no_progress', since_ns: null };
  const quiet = nanoseconds(Math.max(jobs.quietSeconds, jobs.quietSteps * (usual_s ?? 0)));
  if (progress.sampled_ns !== null && progress.sampled_ns - last > quiet)
    return { state: 'stalled', reason: 'counter_stands', since_ns: last };
  if (until_ns - last > quiet) return { state: 'unknown', reason: 'quiet', since_ns: last };
  // A dump may end with operations that never completed.
  if (step_ns === null) return { state: 'unknown', reason: 'operations_to_end', since_ns: last };
  return { state: 'running', reason: 'steps_to_end', since_ns: last };
}
