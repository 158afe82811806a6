import type { CallContext, JobView, Output, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { TrainingJob, WaitedRank } from '../../analysis/jobs/job.ts';
import { lostTime } from '../../analysis/jobs/lost-time.ts';
import type { Workspace } from '../workspace.ts';
import { placeView, readHeat } from './job-heat.ts';
import { liveJob } from './live-job.ts';

/** Of a case; `total` counts the others. */
const MOST_JOBS = 200;
const MOST_WAITED = 100;

/** The training jobs of a case. */
export function jobHandlers(workspace: Workspace) {
  const now = (): bigint | null => (workspace.live.isRunning ? workspace.dependencies.now() : null);
  return {
    'jobs.list': async (_: object, { signal }: CallContext): Promise<Output<'jobs.list'>> => {
      const jobs = await workspace.required().jobs(signal);
      const now_ns = now();
      const shown = jobs.slice(0, MOST_JOBS).map((job) => ({ ...viewOf(liveJob(job, now_ns)), now_ns }));
      return { jobs: shown, total: jobs.length };
    },
    'jobs.heat': async (input: Parsed<'jobs.heat'>, { signal }: CallContext): Promise<Output<'jobs.heat'>> => {
      const opened = workspace.required();
      const job = (await opened.jobs(signal)).find(({ id }) => id === input.job);
      if (!job) return fail('job.unknown', `the case has no job ${input.job}`, { hint: 'list the jobs again' });
      return opened.withSession((session) => readHeat(session, liveJob(job, now()), input, signal));
    },
  };
}

function viewOf(whole: TrainingJob): Omit<JobView, 'now_ns'> {
  const { id, name, entity, ranks, standing, waited, marks, ...job } = whole;
  const { hosts, first_ns, last_ns, last_step, usual_s } = job;
  return {
    id,
    name,
    entity: entity < 0 ? null : id,
    ranks: ranks.length,
    ranks_with_steps: ranks.filter(({ stepsFrom }) => stepsFrom !== null).length,
    ...{ hosts, first_ns, last_ns, last_step, usual_s },
    ...standing,
    lost: lostTime(whole),
    restarts: marks.filter(({ kind }) => kind !== 'checkpoint').length,
    checkpoints: marks.filter(({ kind }) => kind === 'checkpoint').length,
    waited: waited.slice(0, MOST_WAITED).map(waitedView),
    waited_total: waited.length,
  };
}

const waitedView = ({ entityKey, runsOn, waiting, refs, ...rest }: WaitedRank): JobView['waited'][number] => ({
  ...rest,
  entity: entityKey,
  ...placeView(runsOn),
  waiting: [...waiting],
  refs: [...refs],
});
