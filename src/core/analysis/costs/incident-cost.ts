import type { Cost, CostLine } from '../../../model/incident/cost.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import type { AffectedGpu } from './affected-gpus.ts';
import { costOf, priced, rateOf } from './gpu-time.ts';
import type { Rates } from './rates.ts';
import { requestCost, type ServedInstant } from './request-cost.ts';

export interface CostInput {
  readonly incident: string;
  readonly service: string;
  readonly onset_ns: bigint;
  readonly onset_earliest_ns: bigint;
  readonly end_ns: bigint;
  readonly gpus: readonly AffectedGpu[];
  readonly checkpoints: readonly { readonly work: string; readonly ref: string; readonly end_ns: bigint }[];
  /** The last normal time before the onset, and the time of the lowest throughput. */
  readonly requests: { readonly normal: ServedInstant; readonly worst: ServedInstant };
}

const HOUR_NS = 3.6e12;
const hours = (from: bigint, to: bigint): number => Math.max(0, Number(to - from)) / HOUR_NS;

/**
 * Cost of the impact in GPU time: affected GPUs times duration times the price of the GPU model. An onset between two
 * measurements gives a range, and so does a price range. Without a rate the cost is null.
 */
export function incidentCost(input: CostInput, rates: Rates | null): Cost {
  const { incident, service, gpus, onset_ns, onset_earliest_ns, end_ns, requests } = input;
  const span = { low: hours(onset_ns, end_ns), high: hours(onset_earliest_ns, end_ns) };
  const lines = [...Map.groupBy(pairsOf(gpus), ({ work, gpu }) => JSON.stringify([work, gpu.model]))].map(
    ([, pairs]): CostLine => {
      const [{ work, gpu }] = pairs as [Pair];
      const rate = rateOf(gpu, rates);
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
    total: costOf(gpus, span, rates),
    total_gpu_hours: gpus.length === 0 ? null : { low: gpus.length * span.low, high: gpus.length * span.high },
    lost_training: lostTraining(input, rates),
    per_request: {
      normal: requestCost(service, requests.normal, rates),
      worst: requestCost(service, requests.worst, rates),
    },
  };
}

interface Pair {
  readonly work: string;
  readonly gpu: AffectedGpu;
}
const pairsOf = (gpus: readonly AffectedGpu[]): Pair[] =>
  gpus.flatMap((gpu) => gpu.work.map((work) => ({ work, gpu })));

/** Steps since the last checkpoint, which are lost if the job failed; this is not checked. */
function lostTraining({ checkpoints, gpus, onset_ns }: CostInput, rates: Rates | null): Cost['lost_training'] {
  return checkpoints.flatMap(({ work, ref, end_ns }) => {
    const own = gpus.filter((gpu) => gpu.work.includes(work));
    if (own.length === 0 || end_ns > onset_ns) return [];
    const each = hours(end_ns, onset_ns);
    return {
      work,
      gpus: own.length,
      checkpoint: formatUtc(nanos(end_ns)),
      gpu_hours: own.length * each,
      cost: costOf(own, { low: each, high: each }, rates),
      refs: [ref],
    };
  });
}
