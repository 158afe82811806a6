import type { ClockLevelFact } from '../../../store/facts/reader.ts';
import { median } from '../../statistics.ts';
import type { CaseFacts } from '../case-facts.ts';
import { trainingPatterns } from '../training/parameters.ts';
import { gpuPatterns } from './parameters.ts';

/** What clocks show of a slowdown that some GPUs reported. */
export interface SlowedGpus {
  /** GPUs of the same machines whose clocks fell with it, whether they reported it or not. */
  readonly gpus: readonly number[];
  /** Medians over these, MHz. */
  readonly usual_mhz: number;
  readonly slowed_mhz: number;
  /** When the clocks of all of them were back; null if they were not. */
  readonly ended_ns: bigint | null;
  /** A sample of each. */
  readonly refs: readonly string[];
}

interface Slowed {
  readonly level: ClockLevelFact;
  readonly usual_mhz: number;
  /** The first slice in which its clocks were back. */
  readonly back: bigint | undefined;
}

const NONE: SlowedGpus = { gpus: [], usual_mhz: Number.NaN, slowed_mhz: Number.NaN, ended_ns: null, refs: [] };

/** Few GPUs of a machine may report what befalls all of them: an exporter samples some, or a buffer was full. */
export function slowedWith(facts: CaseFacts, reported: readonly number[], start_ns: bigint): SlowedGpus {
  const { clocks, slice_ns } = facts.rows;
  const machines = new Set(reported.map((gpu) => facts.machineOf(gpu, start_ns)));
  const byGpu = Map.groupBy(clocks, ({ entity }) => entity);
  const found = [...byGpu].flatMap(([gpu, levels]) =>
    machines.has(facts.machineOf(gpu, start_ns)) ? (slowedAt(levels, start_ns / slice_ns) ?? []) : [],
  );
  if (found.length === 0) return NONE;
  const backs = found.flatMap(({ back }) => back ?? []);
  return {
    gpus: found.map(({ level }) => level.entity),
    usual_mhz: median(found.map(({ usual_mhz }) => usual_mhz)),
    slowed_mhz: median(found.map(({ level }) => level.clock_mhz)),
    ended_ns: backs.length < found.length ? null : backs.reduce((a, b) => (a > b ? a : b)) * slice_ns,
    refs: found.map(({ level }) => `metric:${level.series_id}@${level.sample_ns}`),
  };
}

/** The next slice first: that of the event holds samples of before it as well. An idle GPU slows down by itself. */
function slowedAt(levels: readonly ClockLevelFact[], slice: bigint): Slowed | undefined {
  const busy = levels.filter((one) => one.busy === null || one.busy >= trainingPatterns.busyPercent);
  const before = busy.filter((one) => one.slice < slice).map(({ clock_mhz }) => clock_mhz);
  if (before.length < trainingPatterns.clockSlices) return undefined;
  const usual_mhz = median(before);
  const isSlow = ({ clock_mhz }: ClockLevelFact): boolean => clock_mhz < gpuPatterns.slowedShare * usual_mhz;
  const level = [slice + 1n, slice].flatMap((at) => busy.find((one) => one.slice === at && isSlow(one)) ?? [])[0];
  if (!level) return undefined;
  const back = busy.find((one) => one.slice > level.slice && !isSlow(one))?.slice;
  return { level, usual_mhz, back };
}
