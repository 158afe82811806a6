import type { EntityKind } from '../../../model/entity.ts';
import { rankId } from '../../../model/rank-name.ts';
import { workloadOfPod } from '../../../model/telemetry/workload-name.ts';
import { rankAliases } from '../workload/rank.ts';
import { firstOf, podSubject } from './naming.ts';
import type { Labels, Relation, Subject } from './scraped.ts';

/** Many kinds of software count by a bare `rank`: in these metrics it is a process of a training job. */
const TRAINING = /train|step|iteration|nccl|rccl|collective/i;

const serviceOf = (labels: Labels): string =>
  firstOf(labels, 'service_name', 'service') || (workloadOfPod(podOf(labels)) ?? firstOf(labels, 'job'));
const podOf = (labels: Labels): string => firstOf(labels, 'pod', 'pod_name', 'kubernetes_pod_name');
const carriers: ReadonlySet<EntityKind> = new Set(['gpu', 'pod', 'node', 'server']);

/**
 * The rank that labels name, on the pod or machine that the series is about. Its job is the one that labels name, else the service
 * that they name, whose pods these are, else the `job` of the scrape.
 */
export function rankRelations(name: string, labels: Labels, subject: Subject): Relation[] {
  const stated = firstOf(labels, 'gen_ai_training_rank', 'global_rank', 'training_rank');
  const text = stated || (TRAINING.test(name) || labels.has('world_size') ? firstOf(labels, 'rank') : '');
  if (!/^\d{1,6}$/.test(text)) return [];
  const job = firstOf(labels, 'gen_ai_training_job_id', 'training_job_id', 'job_id');
  const service = subject.kind === 'service' ? subject.id : serviceOf(labels);
  const names = {
    rank: Number(text),
    job: job || service,
    alias: job ? 'rank_of_job' : 'rank_of_unnamed_job',
  } as const;
  const rank: Subject = { kind: 'rank', id: rankId(names.rank, names.job), aliases: rankAliases(names) };
  const work: Subject | undefined = job
    ? { kind: 'job', id: job }
    : service
      ? { kind: 'service', id: service }
      : undefined;
  const pod = podOf(labels);
  const carrier = pod ? podSubject(pod, firstOf(labels, 'namespace', 'kubernetes_namespace')) : subject;
  const carries = carriers.has(carrier.kind);
  return [
    ...(carries ? [{ from: rank, kind: 'runs_on', to: carrier } as const] : []),
    ...(work ? [{ from: rank, kind: 'member_of', to: work } as const] : []),
  ];
}
