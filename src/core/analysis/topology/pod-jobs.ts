import type { EntityKind } from '../../../model/entity.ts';
import type { EdgeFact } from '../../store/facts/reader.ts';
import { push, walk } from './links.ts';

/** The job whose pods a workload runs in; canonical entities. */
export interface PodJob {
  readonly job: number;
  /** What controls these pods for it: the Jobs of a JobSet. */
  readonly parts: readonly number[];
}

interface Named {
  readonly kind: EntityKind;
  readonly id: string;
}

/** Controllers call their pods `NAME-…`. A pod may be recorded without its namespace. */
const isNamedAfter = (pod: string, job: string): boolean =>
  pod.startsWith(`${pod.includes('/') ? job : job.slice(job.indexOf('/') + 1)}-`);

/** `NAME-MINUTES`: each run of a CronJob is a job of its own (https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/). */
const isScheduled = (run: Named, schedule: Named): boolean =>
  run.id.startsWith(`${schedule.id}-`) && /^\d{8,10}$/.test(run.id.slice(schedule.id.length + 1));

/**
 * The job of a service, process or rank, by links of any time: it, its ranks and containers run in pods which are members of the job, or hold
 * ranks of it. undefined: none, or of several; of a pod without a known job only the name shows whether it is one of the same job.
 * @param known canonical entities by their number
 */
export function podJobs(
  known: ReadonlyMap<number, Named>,
  edges: readonly EdgeFact[],
): (workload: number) => PodJob | undefined {
  const hosts = new Map<number, number[]>();
  const ranks = new Map<number, number[]>();
  const jobs = new Map<number, number[]>();
  for (const { kind, from_id, to_id } of edges) {
    const [from, to] = [known.get(from_id), known.get(to_id)];
    if (!from || !to) continue;
    // The leader of a group of pods controls what controls the others.
    if (kind === 'member_of' && (to.kind === 'job' || (from.kind === 'job' && to.kind === 'pod'))) {
      if (from.kind !== 'job' || !isScheduled(from, to)) push(jobs, from_id, to_id);
    } else if (kind === 'member_of' && from.kind === 'rank') push(hosts, to_id, from_id);
    else if (kind === 'member_of' || kind === 'runs_on') {
      if (to.kind === 'pod' || to.kind === 'container') push(hosts, from_id, to_id);
      if (from.kind === 'rank' && to.kind === 'pod') push(ranks, to_id, from_id);
    }
  }
  const jobsOf = (members: readonly number[]): number[] => members.flatMap((one) => jobs.get(one) ?? []);
  const topsOf = (some: readonly number[]): number[] => [...walk(some, jobs)].filter((job) => !jobs.has(job));
  return (workload) => {
    const pods = [...walk([workload], hosts)].filter((one) => known.get(one)?.kind === 'pod');
    const [tops, all] = [new Set<number>(), new Set<number>()];
    const others: Named[] = [];
    for (const pod of pods) {
      // A label names the job of ranks; what controls their pod may be a part of it.
      const [named, owners] = [jobsOf(ranks.get(pod) ?? []), jobsOf([pod])];
      for (const top of topsOf(named.length > 0 ? named : owners)) tops.add(top);
      for (const job of walk([...named, ...owners], jobs)) all.add(job);
      if (named.length + owners.length === 0) others.push(known.get(pod)!);
    }
    const [job] = tops;
    const names = [...all].map((one) => known.get(one)!.id);
    if (job === undefined || tops.size > 1 || known.get(job)?.kind !== 'job') return undefined;
    if (!others.every(({ id }) => names.some((name) => isNamedAfter(id, name)))) return undefined;
    return { job, parts: [...all].filter((one) => one !== job && known.get(one)?.kind === 'job') };
  };
}
