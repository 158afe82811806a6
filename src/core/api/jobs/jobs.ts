import type { CallContext, Output, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import { parseRates } from '../../analysis/costs/rates.ts';
import { readStoredRates } from '../../store/case-file/stored-rates.ts';
import type { Workspace } from '../workspace.ts';
import { readHeat } from './job-heat.ts';
import { jobViews } from './job-views.ts';
import { liveJob } from './live-job.ts';

/** Of a case; `total` counts the others. */
const MOST_JOBS = 200;

/** The training jobs of a case. */
export function jobHandlers(workspace: Workspace) {
  const now = (): bigint | null => (workspace.live.isRunning ? workspace.dependencies.now() : null);
  return {
    'jobs.list': async ({ rates }: Parsed<'jobs.list'>, { signal }: CallContext): Promise<Output<'jobs.list'>> => {
      const opened = workspace.required();
      const jobs = await opened.jobs(signal);
      const now_ns = now();
      const shown = jobs.slice(0, MOST_JOBS).map((job) => liveJob(job, now_ns));
      const text = rates ?? (await opened.withSession(readStoredRates))?.text ?? null;
      const views = await jobViews(opened, shown, text === null ? null : parseRates(text));
      return { jobs: views.map((view) => ({ ...view, now_ns })), total: jobs.length };
    },
    'jobs.heat': async (input: Parsed<'jobs.heat'>, { signal }: CallContext): Promise<Output<'jobs.heat'>> => {
      const opened = workspace.required();
      const job = (await opened.jobs(signal)).find((one) => one.id === input.job || one.services.includes(input.job));
      if (!job) return fail('job.unknown', `the case has no job ${input.job}`, { hint: 'list the jobs again' });
      return opened.withSession((session) => readHeat(session, liveJob(job, now()), input, signal));
    },
  };
}
