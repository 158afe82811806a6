import type { LostPrice } from '../../../model/incident/cost.ts';
import type { LostTime } from '../jobs/job.ts';
import type { AffectedGpu } from './affected-gpus.ts';
import { costOf, rateOf } from './gpu-time.ts';
import type { Rates } from './rates.ts';

/**
 * What the GPU hours that a job lost cost: each GPU for the same time, at the price of its model. Of a GPU whose model is not recorded
 * only the line for all GPUs gives a price.
 * @param modelOf of a GPU, or of the GPUs of a host, by its key `kind:ID`; null: not recorded
 */
export function lostPrice(
  { gpus: count, keys, idle_gpu_hours, repeated_gpu_hours }: LostTime,
  rates: Rates | null,
  modelOf: (key: string) => string | null,
): LostPrice {
  const gpus = Array.from({ length: count }, (_, at): AffectedGpu => {
    const key = keys[at] ?? '';
    return { key, model: key === '' ? null : modelOf(key), work: [] };
  });
  const cost = (hours: number) => costOf(gpus, { low: hours / count, high: hours / count }, rates);
  const idle = cost(idle_gpu_hours);
  return {
    currency: rates?.currency ?? 'USD',
    idle,
    repeated: repeated_gpu_hours === null ? null : cost(repeated_gpu_hours),
    gap: idle ? null : rates ? 'no_rate_of_gpu' : 'no_rates',
    gpu_types: [...Map.groupBy(gpus, ({ model }) => model)].map(([model, own]) => ({
      model,
      gpus: own.length,
      rate: rateOf(own[0]!, rates),
    })),
  };
}
