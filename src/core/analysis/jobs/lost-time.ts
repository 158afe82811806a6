import type { JobRank, LostTime, TrainingJob } from './job.ts';

const HOUR_NS = 3.6e12;

/**
 * GPU hours that a job which stalled or ended early lost: those in which it held its GPUs and did no step, and those since its last
 * checkpoint, which have to be computed again. Whether GPUs were given back after a failure is not recorded, so they count until then.
 *
 * @returns null: it did not stop, or not all of its ranks are known
 */
export function lostTime({ standing, ranks, marks, worked_ns, until_ns }: TrainingJob): LostTime | null {
  const { state, reason, since_ns } = standing;
  const hasFailed = reason === 'failed';
  if (since_ns === null || (state !== 'stalled' && !hasFailed && reason !== 'gpus_idle')) return null;
  const { gpus, keys, counted } = gpusOf(ranks);
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
    idle_gpu_hours: hours(stopped_ns, hasFailed ? since_ns : until_ns),
    repeated_gpu_hours: saved_ns === null ? null : hours(saved_ns, stopped_ns),
    saved_ns,
  };
}

/** A rank uses a GPU of its own, where links do not name those of all. 0: some ranks are not recorded, so nothing states how many there are. */
function gpusOf(ranks: readonly JobRank[]): Pick<LostTime, 'gpus' | 'keys' | 'counted'> {
  const numbers = new Set(ranks.flatMap(({ rank }) => rank ?? []));
  const areAll = numbers.size > 0 && Math.max(...numbers) === numbers.size - 1;
  if (!areAll) return { gpus: 0, keys: [], counted: 'ranks' };
  const numbered = ranks.filter(({ rank }) => rank !== null);
  if (numbered.some(({ runsOn }) => runsOn.gpus.length === 0))
    return { gpus: numbers.size, keys: [], counted: 'ranks' };
  const keys = [...new Set(numbered.flatMap(({ runsOn }) => runsOn.gpus))];
  return { gpus: keys.length, keys, counted: 'gpus' };
}
