import type { JobView } from '../../../model/contract/index.ts';
import { entityKey } from '../../../model/entity.ts';
import { lostPrice } from '../../analysis/costs/lost-price.ts';
import type { Rates } from '../../analysis/costs/rates.ts';
import type { LostTime, TrainingJob, WaitedRank } from '../../analysis/jobs/job.ts';
import { lostTime } from '../../analysis/jobs/lost-time.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { readGpuWorld } from '../gpus/gpu-world.ts';
import { placeView } from './job-heat.ts';

const MOST_WAITED = 100;

/**
 * Jobs as they are shown, with the price of what they lost.
 * @param given prices; null: none
 */
export async function jobViews(
  opened: OpenCase,
  jobs: readonly TrainingJob[],
  rates: Rates | null,
): Promise<Omit<JobView, 'now_ns'>[]> {
  const lost = jobs.map(lostTime);
  const priced = lost.every((one) => one === null) ? () => null : await pricesOf(opened, rates);
  return jobs.map((job, at) => viewOf(job, priced(lost[at] ?? null)));
}

async function pricesOf(opened: OpenCase, rates: Rates | null): Promise<(lost: LostTime | null) => JobView['lost']> {
  return opened.withSession(async (session) => {
    const { entities, models } = await readGpuWorld(session);
    const modelOf = new Map(
      entities.map(({ kind, id, canonical_id }) => [entityKey(kind, id), models.get(canonical_id) ?? null]),
    );
    return (lost) => {
      if (lost === null) return null;
      const { keys: _, ...time } = lost;
      return { ...time, price: lostPrice(lost, rates, (key) => modelOf.get(key) ?? null) };
    };
  });
}

function viewOf(whole: TrainingJob, lost: JobView['lost']): Omit<JobView, 'now_ns'> {
  const { id, name, entity, services, ranks, standing, waited, marks, ...job } = whole;
  const { hosts, first_ns, last_ns, last_step, usual_s } = job;
  const numbered = ranks.filter(({ rank }) => rank !== null);
  // A process that names no rank, beside ranks, is one of them or starts them.
  const counted = numbered.length > 0 ? numbered : ranks;
  return {
    id,
    name,
    entity: entity < 0 ? null : id,
    services: [...services],
    ranks: counted.length,
    ranks_with_steps: Math.min(counted.length, ranks.filter(({ stepsFrom }) => stepsFrom !== null).length),
    ...{ hosts, first_ns, last_ns, last_step, usual_s },
    ...standing,
    lost,
    restarts: marks.filter(({ kind }) => kind !== 'checkpoint').length,
    checkpoints: marks.filter(({ kind }) => kind === 'checkpoint').length,
    waited: waited.slice(0, MOST_WAITED).map(waitedView),
    waited_total: waited.length,
  };
}

const waitedView = ({ entityKey: entity, runsOn, waiting, refs, ...rest }: WaitedRank): JobView['waited'][number] => ({
  ...rest,
  entity,
  ...placeView(runsOn),
  waiting: [...waiting],
  refs: [...refs],
});
