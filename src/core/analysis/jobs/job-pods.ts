import { entityKey } from '../../../model/entity.ts';
import type { EdgeFact, EntityFact, PodGpusFact } from '../../store/facts/reader.ts';
import type { JobPod } from './job.ts';
import { entitiesOf, type JobMembers } from './job-members.ts';
import { hostKinds } from './rank-places.ts';

interface PodFacts {
  readonly known: ReadonlyMap<number, EntityFact>;
  readonly edges: readonly EdgeFact[];
  readonly pods: readonly PodGpusFact[];
}

/** No cluster has more: a file that states more GPUs is wrong. */
const MOST_GPUS = 1_000_000;

/**
 * The pods of a job that ask for GPUs: its members, the members of what it controls, and those that its ranks and services run in. What
 * was started anew in the place of another counts once. Empty: none is recorded, or some have no place and do not run, so that others
 * may have been started for them, or they state more GPUs than there can be.
 */
export function jobPods({ known, edges, pods }: PodFacts): (members: JobMembers) => readonly JobPod[] {
  const stated = new Map(pods.map((one) => [one.pod, one]));
  const below = new Map<number, number[]>();
  const hosts = new Map<number, string>();
  const owners = new Map<number, number>();
  const link = (from: number, to: number): void => {
    const parts = below.get(from);
    if (parts) parts.push(to);
    else below.set(from, [to]);
  };
  if (stated.size > 0)
    for (const { kind, from_id, to_id } of edges) {
      const to = known.get(to_id);
      if (kind === 'member_of' && to?.kind === 'job') {
        link(to_id, from_id);
        owners.set(from_id, to_id);
      } else if (kind === 'runs_on' && stated.has(to_id)) link(from_id, to_id);
      else if (kind === 'runs_on' && stated.has(from_id) && to && hostKinds.includes(to.kind))
        hosts.set(from_id, entityKey(to.kind, to.id));
    }
  return (members) => {
    const found = new Set(entitiesOf(members));
    for (const one of found) for (const part of below.get(one) ?? []) found.add(part);
    const own = [...found].flatMap((one) => stated.get(one) ?? []);
    if (own.some(({ place, is_running }) => place === '' && !is_running)) return [];
    const places = Map.groupBy(own, ({ place, pod }) => (place === '' ? `${pod}` : `${owners.get(pod)} ${place}`));
    const once = [...places.values()].map((same) => {
      const [one] = same.toSorted((a, b) => Number(b.is_running) - Number(a.is_running) || b.pod - a.pod);
      return { gpus: one!.gpus, host: hosts.get(one!.pod) ?? '' };
    });
    return once.reduce((sum, { gpus }) => sum + gpus, 0) > MOST_GPUS ? [] : once;
  };
}
