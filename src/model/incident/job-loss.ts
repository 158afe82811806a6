import type { JobView } from '../contract/jobs.ts';
import { entityKey } from '../entity.ts';
import { readRankId } from '../rank-name.ts';
import { amount, lostPriceText } from './cost.ts';

type Lost = NonNullable<JobView['lost']>;

/**
 * What the job of an impact lost; null: the impact is not how it stands, or its GPUs are unknown.
 * @param jobs of the case
 * @param impact its service or job, and its time
 */
export function jobLossOf(
  jobs: readonly Pick<JobView, 'name' | 'entity' | 'services' | 'since_ns' | 'lost'>[],
  impact: { readonly service: string; readonly onset_earliest_ns: bigint; readonly end_ns: bigint },
): Lost | null {
  // A job that no row names is known by its ranks.
  const unnamed = readRankId(impact.service)?.job;
  const service = entityKey('service', impact.service);
  const own = jobs.find(
    ({ name, entity, services, since_ns }) =>
      (name === (entity === null ? unnamed : impact.service) || services.includes(service)) &&
      since_ns !== null &&
      since_ns >= impact.onset_earliest_ns &&
      since_ns <= impact.end_ns,
  );
  return own?.lost ?? null;
}

/** GPU hours that a job lost, and their price. */
export function jobLossText({ gpus, counted, idle_gpu_hours, repeated_gpu_hours, price }: Lost): string {
  const hours = (value: number): string => `${amount(value)} GPU-hours`;
  const count = (one: string): string => `${gpus} ${one}${gpus === 1 ? '' : 's'}`;
  const of = {
    gpus: count('GPU'),
    pods: `${count('GPU')} that its pods ask for`,
    ranks: `${count('rank')}, each with a GPU of its own`,
  }[counted];
  const again =
    repeated_gpu_hours === null
      ? 'no checkpoint is recorded, so what it has to do again is unknown'
      : `${hours(repeated_gpu_hours)} since its last checkpoint have to be done again`;
  // The impact lasts to the last record of the job, and its GPUs may be recorded for longer.
  const minutes = idle_gpu_hours > 0 ? ` in ${amount((60 * idle_gpu_hours) / gpus)} recorded minutes` : '';
  return `The job lost ${hours(idle_gpu_hours)}${minutes} without a step (${of}), and ${again}; cost ${lostPriceText(price)}.`;
}
