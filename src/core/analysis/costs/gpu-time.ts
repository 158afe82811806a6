import type { CostGap, CostRange } from '../../../model/incident/cost.ts';
import type { AffectedGpu } from './affected-gpus.ts';
import type { Rate, Rates } from './rates.ts';

const HOUR_S = 3600;

export const rateOf = ({ model }: AffectedGpu, rates: Rates | null): Rate | null => rates?.of(model) ?? null;

interface Hours {
  readonly low: number;
  readonly high: number;
}

export const priced = (gpu_hours: Hours, rate: Rate): CostRange => ({
  low: rate.low === null ? null : gpu_hours.low * rate.low,
  high: gpu_hours.high * rate.high,
});

/** Null if one is unknown, because a partial sum would be read as the total. */
export function sumOf(ranges: readonly (CostRange | null)[]): CostRange | null {
  if (ranges.length === 0) return null;
  return ranges.reduce<CostRange | null>(
    (sum, one) =>
      sum && one
        ? { low: sum.low === null || one.low === null ? null : sum.low + one.low, high: sum.high + one.high }
        : null,
    { low: 0, high: 0 },
  );
}

/** Of some GPUs, each for the same time. */
export const costOf = (gpus: readonly AffectedGpu[], each: Hours, rates: Rates | null): CostRange | null =>
  sumOf(gpus.map((gpu) => rateOf(gpu, rates)).map((rate) => rate && priced(each, rate)));

export interface GpuTime {
  readonly gpus: number;
  readonly shared_gpus: number;
  readonly gpu_seconds: CostRange | null;
  readonly cost: CostRange | null;
  readonly gap: CostGap | null;
}

/**
 * Cost of some seconds of all GPUs of a service. The division of a shared GPU among workloads is not recorded: the lower bound
 * counts only the service's own GPUs, the upper bound all. `seconds` is null with a reason.
 */
export function gpuTime(
  { service, gpus }: { readonly service: string; readonly gpus: readonly AffectedGpu[] },
  seconds: number | CostGap,
  rates: Rates | null,
): GpuTime {
  const own = gpus.filter(({ work }) => work.every((one) => one === `service:${service}`));
  const counted = { gpus: own.length, shared_gpus: gpus.length - own.length };
  const unknown = (gap: CostGap): GpuTime => ({ ...counted, gpu_seconds: null, cost: null, gap });
  if (gpus.length === 0) return unknown('no_gpus');
  if (typeof seconds !== 'number') return unknown(seconds);
  const gpu_seconds = { low: own.length === 0 ? null : own.length * seconds, high: gpus.length * seconds };
  const hours = { low: seconds / HOUR_S, high: seconds / HOUR_S };
  const all = costOf(gpus, hours, rates);
  return {
    ...counted,
    gpu_seconds,
    cost: all && { low: costOf(own, hours, rates)?.low ?? null, high: all.high },
    gap: all ? null : rates ? 'no_rate_of_gpu' : 'no_rates',
  };
}
