import type { JobPod, JobRank, LostTime, TrainingJob } from './job.ts';

const HOUR_NS = 3.6e12;

/**
 * GPU hours that a job which stalled or ended early lost: those in which it held its GPUs and did no step, and those since its last
 * checkpoint, which have to be computed again. Whether GPUs were given back after a failure is not recorded, so they count until then.
 *
 * @returns null: it did not stop, or neither all of its ranks nor the GPUs of its pods are known
 */
export function lostTime({ standing, ranks, pods, marks, worked_ns, meanwhile_ns }: TrainingJob): LostTime | null {
  const { state, reason, since_ns } = standing;
  const hasFailed = reason === 'failed';
  if (since_ns === null || (state !== 'stalled' && !hasFailed && reason !== 'gpus_idle')) return null;
  const { gpus, keys, counted } = gpusOf(ranks, pods);
  if (gpus === 0) return null;
  const stopped_ns = worked_ns !== null && worked_ns < since_ns ? worked_ns : since_ns;
  const saved_ns = marks
    .filter(({ kind, failed, end_ns }) => kind === 'checkpoint' && !failed && end_ns <= stopped_ns)
    .reduce<bigint | null>((last, { end_ns }) => (last === null || end_ns > last ? end_ns : last), null);
  const hours = (from: bigint, to: bigint): number => (gpus * Math.max(0, Number(to - from))) / HOUR_NS;
  return {
    gpus,
    keys,
    counted,
    idle_gpu_hours: hours(stopped_ns, hasFailed ? since_ns : meanwhile_ns),
    repeated_gpu_hours: saved_ns === null ? null : hours(saved_ns, stopped_ns),
    saved_ns,
  };
}

/**
 * Where links do not name the GPUs of all ranks, those that pods ask for; a rank uses one of its own where pods are missing. 0: nothing
 * states how many there are.
 */
function gpusOf(ranks: readonly JobRank[], pods: readonly JobPod[]): Pick<LostTime, 'gpus' | 'keys' | 'counted'> {
  const numbers = new Set(ranks.flatMap(({ rank }) => rank ?? []));
  const highest = ranks.reduce((most, { rank }) => Math.max(most, rank ?? -1), -1);
  const areAll = numbers.size > 0 && highest === numbers.size - 1;
  const numbered = ranks.filter(({ rank }) => rank !== null);
  if (areAll && numbered.every(({ runsOn }) => runsOn.gpus.length > 0)) {
    const keys = [...new Set(numbered.flatMap(({ runsOn }) => runsOn.gpus))];
    return { gpus: keys.length, keys, counted: 'gpus' };
  }
  const keys = pods.flatMap(({ gpus, host }) => Array.from({ length: gpus }, () => host));
  if (keys.length > 0 && keys.length > highest) return { gpus: keys.length, keys, counted: 'pods' };
  return { gpus: areAll ? numbers.size : 0, keys: [], counted: 'ranks' };
}
