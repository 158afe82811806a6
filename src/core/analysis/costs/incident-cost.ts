import type { Cost, CostLine, CostRange } from '../../../model/report-document.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import type { Rate, Rates } from './rates.ts';

/** A GPU that the affected service ran on while it suffered. */
export interface AffectedGpu {
  /** `gpu:node-1/GPU-0` */
  readonly key: string;
  readonly model: string | null;
  /** Services and jobs that used it then, as `kind:id`. */
  readonly work: readonly string[];
}

export interface CostQuestion {
  readonly incident: string;
  readonly service: string;
  readonly onset_ns: bigint;
  readonly onset_earliest_ns: bigint;
  readonly end_ns: bigint;
  readonly gpus: readonly AffectedGpu[];
  readonly checkpoints: readonly { readonly work: string; readonly ref: string; readonly end_ns: bigint }[];
  /** Requests a second; null is unknown. */
  readonly throughput: { readonly normal: number | null; readonly worst: number | null };
}

const HOUR_NS = 3.6e12;
const hours = (from: bigint, to: bigint): number => Math.max(0, Number(to - from)) / HOUR_NS;

/**
 * What the impact cost in GPU time: GPUs affected times the time of the impact, times what is paid for such a GPU. An
 * onset between two measurements makes a range, and so does a price that is one. Without a rate a cost is null.
 */
export function incidentCost(question: CostQuestion, rates: Rates | null): Cost {
  const { incident, gpus, onset_ns, onset_earliest_ns, end_ns } = question;
  const span = { low: hours(onset_ns, end_ns), high: hours(onset_earliest_ns, end_ns) };
  const rateOf = (gpu: AffectedGpu): Rate | null => rates?.of(gpu.model) ?? null;
  const lines = [...Map.groupBy(pairsOf(gpus), ({ work, gpu }) => JSON.stringify([work, gpu.model]))].map(
    ([, pairs]): CostLine => {
      const [{ work, gpu }] = pairs as [Pair];
      const rate = rateOf(gpu);
      const gpu_hours = { low: pairs.length * span.low, high: pairs.length * span.high };
      return {
        incident,
        work,
        model: gpu.model,
        gpus: pairs.length,
        gpu_hours,
        cost: rate ? priced(gpu_hours, rate) : null,
        rate,
        refs: [`incident:${incident}`, `entity:${gpu.key}`],
      };
    },
  );
  return {
    currency: rates?.currency ?? 'USD',
    lines,
    total: sumOf(gpus.map((gpu) => pricedBy(span, rateOf(gpu)))),
    total_gpu_hours: gpus.length === 0 ? null : { low: gpus.length * span.low, high: gpus.length * span.high },
    lost_training: lostTraining(question, rateOf),
    per_request: perRequest(question, rateOf),
  };
}

interface Pair {
  readonly work: string;
  readonly gpu: AffectedGpu;
}
const pairsOf = (gpus: readonly AffectedGpu[]): Pair[] =>
  gpus.flatMap((gpu) => gpu.work.map((work) => ({ work, gpu })));

interface Hours {
  readonly low: number;
  readonly high: number;
}
const priced = (gpu_hours: Hours, rate: Rate): CostRange => ({
  low: rate.low === null ? null : gpu_hours.low * rate.low,
  high: gpu_hours.high * rate.high,
});
const pricedBy = (gpu_hours: Hours, rate: Rate | null): CostRange | null => (rate ? priced(gpu_hours, rate) : null);

/** Null as soon as one is unknown: a sum of what happens to be known would read as the whole. */
function sumOf(ranges: readonly (CostRange | null)[]): CostRange | null {
  if (ranges.length === 0) return null;
  return ranges.reduce<CostRange | null>(
    (sum, one) =>
      sum && one
        ? { low: sum.low === null || one.low === null ? null : sum.low + one.low, high: sum.high + one.high }
        : null,
    { low: 0, high: 0 },
  );
}

/** Steps since the last checkpoint are lost if the job did fail; that it did is for the reader to say. */
function lostTraining(
  { checkpoints, gpus, onset_ns }: CostQuestion,
  rateOf: (gpu: AffectedGpu) => Rate | null,
): Cost['lost_training'] {
  return checkpoints.flatMap(({ work, ref, end_ns }) => {
    const own = gpus.filter((gpu) => gpu.work.includes(work));
    if (own.length === 0 || end_ns > onset_ns) return [];
    const each = hours(end_ns, onset_ns);
    return {
      work,
      gpus: own.length,
      checkpoint: formatUtc(nanos(end_ns)),
      gpu_hours: own.length * each,
      cost: sumOf(own.map((gpu) => pricedBy({ low: each, high: each }, rateOf(gpu)))),
      refs: [ref],
    };
  });
}

/** The GPUs of a service are paid for whether they answer or not: fewer answers make each dearer. */
function perRequest(
  { gpus, service, throughput }: CostQuestion,
  rateOf: (gpu: AffectedGpu) => Rate | null,
): Cost['per_request'] {
  const own = gpus.filter(({ work }) => work.length === 1 && work[0] === `service:${service}`);
  // GPUs that other work shares have costs that nothing divides.
  if (own.length === 0 || own.length < gpus.length) return null;
  const second = sumOf(own.map((gpu) => pricedBy({ low: 1 / 3600, high: 1 / 3600 }, rateOf(gpu))));
  const each = (rate: number | null): CostRange | null =>
    second && rate !== null && rate > 0
      ? { low: second.low === null ? null : second.low / rate, high: second.high / rate }
      : null;
  return { normal: each(throughput.normal), worst: each(throughput.worst) };
}
