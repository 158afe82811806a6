import { nanoseconds } from '../../../model/time.ts';
import type { JobStanding, TrainingJob } from '../../analysis/jobs/job.ts';
import { jobs as parameters } from '../../analysis/jobs/parameters.ts';

/**
 * A job while a capture runs. A stall that nothing ended goes on; and where no step comes any more, the recording has no end to which
 * it runs.
 *
 * @param now_ns by the clock of this machine; null: no capture runs
 */
export function liveJob(job: TrainingJob, now_ns: bigint | null): TrainingJob {
  if (now_ns === null) return job;
  const standing = standingAt(job, now_ns);
  const isStalled = standing.state === 'stalled' && (job.operation_ns === null || job.operation_ns < now_ns);
  const until = (to_ns: bigint): bigint => (to_ns > now_ns ? to_ns : now_ns);
  return {
    ...job,
    standing,
    until_ns: until(job.until_ns),
    meanwhile_ns: until(job.meanwhile_ns),
    stalls: job.stalls.map((stall) => (stall.wentOn ? stall : { ...stall, to_ns: until(stall.to_ns) })),
    // The ranks wait on in the operations that were not completed.
    operation_ns: isStalled && job.operation_ns !== null ? now_ns : job.operation_ns,
  };
}

function standingAt({ standing, usual_s }: TrainingJob, now_ns: bigint): JobStanding {
  const { reason, since_ns } = standing;
  const goesToEnd = reason === 'steps_to_end' || reason === 'operations_to_end' || reason === 'quiet';
  if (!goesToEnd || since_ns === null) return standing;
  const quiet_ns = nanoseconds(Math.max(parameters.quietSeconds, parameters.quietSteps * (usual_s ?? 0)));
  return now_ns - since_ns > quiet_ns ? { state: 'unknown', reason: 'silent', since_ns } : standing;
}
