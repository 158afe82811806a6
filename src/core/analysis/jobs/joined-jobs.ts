import type { EntityFact, StepProcessFact } from '../../store/facts/reader.ts';
import type { PodJob } from '../topology/pod-jobs.ts';

/** The job that a row belongs to. */
export interface JobName {
  /** `job:llm`, `service:pretrain`; `ranks:FOLDER` of ranks whose job no row names. */
  readonly id: string;
  readonly name: string;
  /** Canonical; -1: none. */
  readonly entity: number;
}

/** A rank of a job, or a process that names none. */
export interface MemberRow {
  readonly job: JobName;
  /** What separates it from the other rows of the case; several where two names of a job each have it. */
  readonly keys: readonly string[];
  /** Canonical; the first names it. */
  readonly entities: readonly EntityFact[];
  readonly name: string;
  readonly rank: number | null;
  /** The Job of a JobSet within which its rank is numbered; '': none. */
  readonly part: string;
  /** Of a process without a number, the pod or machine that it names first; '': none. */
  readonly place: string;
  readonly spans: StepProcessFact[];
  readonly lines: StepProcessFact[];
  readonly metrics: StepProcessFact[];
}

/** A job by all of its names. */
export interface JobGroup {
  readonly job: JobName;
  /** Ids of services that it is known by too: `service:llm`. */
  readonly services: readonly string[];
  /** Canonical entities that it is: itself, its services, and the jobs that it consists of; empty: ranks without a job. */
  readonly works: readonly number[];
  readonly rows: readonly MemberRow[];
}

export interface PodLinks {
  podJobOf(workload: number): PodJob | undefined;
  /** Names, without namespaces, of the pods that a rank runs in. */
  podsOf(rank: number): readonly string[];
}

/**
 * Joins each job that an orchestrator names with the service that its own steps name: the only one with steps that runs in its pods, and
 * in pods of no other job. Names that are alike are no reason.
 */
export function joinServices(groups: readonly JobGroup[], { podJobOf, podsOf }: PodLinks): JobGroup[] {
  const byWork = new Map(groups.flatMap((group) => group.works.map((work) => [work, group] as const)));
  const found = groups.flatMap((group) => {
    const place = group.job.id.startsWith('service:') ? podJobOf(group.job.entity) : undefined;
    return place ? [{ group, ...place }] : [];
  });
  const joined = new Map<JobGroup, JobGroup | undefined>();
  for (const [job, own] of Map.groupBy(found, ({ job: of }) => of)) {
    const [service, other] = own;
    if (!service || other) continue;
    const same = [job, ...service.parts].flatMap((work) => byWork.get(work) ?? []);
    const measured = same.filter(({ rows }) => rows.length > 0);
    const whole = measured[0] ?? same[0];
    if (!whole || measured.length > 1) continue;
    for (const one of [...same, service.group]) joined.set(one, undefined);
    joined.set(whole, {
      job: whole.job,
      services: [...whole.services, service.group.job.id],
      works: [...new Set([whole, ...same, service.group].flatMap(({ works }) => works))],
      rows: withRows(whole.rows, service.group.rows, podsOf),
    });
  }
  return groups.flatMap((group) => (joined.has(group) ? (joined.get(group) ?? []) : [group]));
}

/** A number is one rank of a job, whichever of its names it has. A process without one is the rank with which it is alone in a pod. */
function withRows(
  rows: readonly MemberRow[],
  more: readonly MemberRow[],
  podsOf: PodLinks['podsOf'],
): readonly MemberRow[] {
  // The numbers of the service are those across all parts, and none of its rows states the pod of a rank.
  const isAcross = rows.every(({ part, rank }) => part !== '' && rank === null);
  if (isAcross && more.length > 0 && more.every(({ rank }) => rank !== null)) return more;
  const all = [...rows];
  const byNumber = new Map(rows.map(({ rank }, at) => [rank, at]));
  const byPod = new Map<string, number[]>();
  for (const [at, { entities }] of rows.entries())
    for (const pod of new Set(entities.flatMap(({ entity_id }) => podsOf(entity_id))))
      byPod.set(pod, [...(byPod.get(pod) ?? []), at]);
  const alike = Map.groupBy(more, ({ place }) => place);
  const sameAs = ({ rank, place }: MemberRow): number | undefined => {
    if (rank !== null) return byNumber.get(rank);
    const [at, other] = place === '' || alike.get(place)!.length > 1 ? [] : (byPod.get(place) ?? []);
    return other === undefined ? at : undefined;
  };
  for (const row of more) {
    const at = sameAs(row);
    if (at === undefined) all.push(row);
    else all[at] = together(all[at]!, row);
  }
  return all;
}

/** @param one of the job @param other of the service: a rank with steps names the row, since its lanes show them */
function together(one: MemberRow, other: MemberRow): MemberRow {
  const isNamed = other.entities[0]?.kind === 'rank';
  const entities = isNamed ? [...other.entities, ...one.entities] : [...one.entities, ...other.entities];
  return {
    ...one,
    keys: [...one.keys, ...other.keys],
    entities: [...new Set(entities)],
    spans: [...one.spans, ...other.spans],
    lines: [...one.lines, ...other.lines],
    metrics: [...one.metrics, ...other.metrics],
  };
}
