import { entityKey } from '../../../model/entity.ts';
import { readRankId } from '../../../model/rank-name.ts';
import type { EdgeFact, EntityFact, LifeSignFact, StepProcessFact } from '../../store/facts/reader.ts';
import { type NamedProcess, ProcessNames } from '../patterns/training/process-names.ts';
import type { EntityNode } from '../topology/entity-graph.ts';
import { podJobs } from '../topology/pod-jobs.ts';
import type { JobRank, RankPlace } from './job.ts';
import { type JobGroup, type JobName, joinServices, type MemberRow } from './joined-jobs.ts';
import { rankPlaces } from './rank-places.ts';

/** What rows of a job rest on. */
export interface MemberFacts {
  readonly entities: readonly EntityFact[];
  readonly edges: readonly EdgeFact[];
  readonly spans: readonly StepProcessFact[];
  readonly lines: readonly StepProcessFact[];
  readonly metrics: readonly StepProcessFact[];
}

export interface JobMembers extends Omit<JobGroup, 'rows'> {
  readonly ranks: readonly JobRank[];
}

/** Sorts ranks, and processes that name none, into the jobs that rows name. */
export class Members {
  private readonly known: ReadonlyMap<number, EntityFact>;
  private readonly byKey: ReadonlyMap<string, EntityFact>;
  private readonly names: ProcessNames;
  private readonly jobOf = new Map<number, number>();
  /** Of ranks that name no job: the only service beside which their lines stand. */
  private readonly serviceOf = new Map<number, EntityFact>();
  private readonly rows = new Map<string, MemberRow>();
  private readonly facts: MemberFacts;

  constructor(facts: MemberFacts) {
    this.facts = facts;
    const own = facts.entities.filter((one) => one.entity_id === one.canonical_id);
    this.known = new Map(own.map((one) => [one.entity_id, one]));
    this.byKey = new Map(
      facts.entities.flatMap(({ kind, id, canonical_id }) => {
        const canonical = this.known.get(canonical_id);
        return canonical ? [[entityKey(kind, id), canonical] as const] : [];
      }),
    );
    this.names = new ProcessNames({
      rows: facts,
      entityNode: (entity) => this.node(entity),
      name: (entity) => this.known.get(entity)?.id ?? '',
    });
    for (const { kind, from_id, to_id } of facts.edges)
      if (kind === 'member_of' && this.known.get(to_id)?.kind === 'job') this.jobOf.set(from_id, to_id);
    for (const { entity, job } of facts.lines) {
      const service = this.known.get(entity)?.kind === 'rank' ? this.known.get(Number(job || Number.NaN)) : undefined;
      if (service?.kind === 'service') this.serviceOf.set(entity, service);
    }
    for (const rank of own) if (rank.kind === 'rank') this.ofRank(rank);
    for (const process of facts.spans) this.rowOf(process)?.spans.push(process);
    for (const process of facts.lines) this.rowOf(process)?.lines.push(process);
    for (const process of facts.metrics) this.rowOf(process)?.metrics.push(process);
  }

  /** The row of a process; undefined: its rows name nothing. */
  keyOf(process: NamedProcess): string | undefined {
    const entity = this.known.get(this.names.entity(process));
    if (!entity) return undefined;
    return entity.kind === 'rank'
      ? String(entity.entity_id)
      : [entity.entity_id, process.rank, process.rank === '' ? process.place : ''].join('\n');
  }

  /** With the keys of their rows by {@link Members.keyOf}. Jobs of which only the name is recorded have none. */
  jobs(signs: ReadonlyMap<number, LifeSignFact>): (JobMembers & { readonly keys: readonly (readonly string[])[] })[] {
    const placeOf = rankPlaces(this.known, this.facts.edges);
    return this.joined().map(({ rows, ...group }) => {
      const sorted = rows.toSorted(
        (a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || naturally(a.name, b.name) || 0,
      );
      return {
        ...group,
        ranks: sorted.map((row) => rankOf(row, placeOf(row.entities.map(({ entity_id }) => entity_id)), signs)),
        keys: sorted.map(({ keys }) => keys),
      };
    });
  }

  private joined(): JobGroup[] {
    const rows = new Map(
      [...Map.groupBy(this.rows.values(), ({ job }) => job.id)].map(([id, own]) => [id, numberedAcross(own)]),
    );
    const recorded = [...this.known.values()].filter(({ kind }) => kind === 'job').map(named);
    const jobs = new Map([...recorded, ...[...this.rows.values()].map(({ job }) => job)].map((job) => [job.id, job]));
    const called = Map.groupBy(this.facts.entities, ({ canonical_id }) => canonical_id);
    const servicesOf = ({ entity, name }: JobName): string[] =>
      (called.get(entity) ?? []).flatMap(({ kind, id }) =>
        kind === 'service' && id !== name ? entityKey(kind, id) : [],
      );
    // Where no service has steps, no link is read.
    let podJobOf: ReturnType<typeof podJobs> | undefined;
    return joinServices(
      [...jobs.values()].map((job) => ({
        job,
        services: job.id.startsWith('job:') ? servicesOf(job) : [],
        works: job.entity < 0 ? [] : [job.entity],
        rows: rows.get(job.id) ?? [],
      })),
      {
        podJobOf: (workload) => {
          podJobOf ??= podJobs(this.known, this.facts.edges);
          return podJobOf(workload);
        },
        podsOf: this.podsOfRanks(),
      },
    );
  }

  /** Names, without namespaces, of the pods that a rank runs in. */
  private podsOfRanks(): (rank: number) => readonly string[] {
    const pods = new Map<number, string[]>();
    for (const { kind, from_id, to_id } of this.facts.edges) {
      const pod = kind === 'runs_on' && this.known.get(from_id)?.kind === 'rank' ? this.known.get(to_id) : undefined;
      if (pod?.kind === 'pod') pods.set(from_id, [...(pods.get(from_id) ?? []), pod.id.slice(pod.id.indexOf('/') + 1)]);
    }
    return (rank) => pods.get(rank) ?? [];
  }

  private node(entity: number): EntityNode | undefined {
    const known = this.known.get(entity);
    return known && { key: entity, kind: known.kind, id: known.id, layer: 'service' };
  }

  private rowOf(process: StepProcessFact): MemberRow | undefined {
    const key = this.keyOf(process);
    const entity = this.known.get(this.names.entity(process));
    if (key === undefined || !entity) return undefined;
    if (entity.kind === 'rank') return this.ofRank(entity);
    const known = this.rows.get(key);
    if (known) return known;
    const { rank, place } = process;
    const job =
      this.byKey.get(entityKey('job', process.job)) ?? this.known.get(this.jobOf.get(entity.entity_id) ?? -1) ?? entity;
    const number = /^\d{1,6}$/.test(rank) ? Number(rank) : null;
    const row: MemberRow = {
      job: named(job),
      keys: [key],
      entities: [entity],
      name: rank !== '' ? `rank ${rank}` : place !== '' ? place : entity.id,
      rank: number,
      part: '',
      place: number === null ? place.split('/', 1)[0]! : '',
      spans: [],
      lines: [],
      metrics: [],
    };
    this.rows.set(key, row);
    return row;
  }

  private ofRank(entity: EntityFact): MemberRow {
    const key = String(entity.entity_id);
    const known = this.rows.get(key);
    if (known) return known;
    const stated = readRankId(entity.id);
    const prefix = stated?.job ?? '';
    const job =
      this.known.get(this.jobOf.get(entity.entity_id) ?? -1) ??
      this.byKey.get(entityKey('job', prefix)) ??
      this.byKey.get(entityKey('service', prefix)) ??
      (prefix === '' ? this.serviceOf.get(entity.entity_id) : undefined);
    const row: MemberRow = {
      job: job ? named(job) : { id: `ranks:${prefix}`, name: prefix, entity: -1 },
      keys: [key],
      entities: [entity],
      name: stated ? `rank ${stated.rank}` : entity.id,
      rank: stated?.rank ?? null,
      part: job?.kind === 'job' && prefix.startsWith(`${job.id}/`) ? prefix.slice(job.id.length + 1) : '',
      place: '',
      spans: [],
      lines: [],
      metrics: [],
    };
    this.rows.set(key, row);
    return row;
  }
}

/** Ranks that are numbered within one of several Jobs of a JobSet have no number in the whole. */
function numberedAcross(rows: readonly MemberRow[]): readonly MemberRow[] {
  if (new Set(rows.map(({ part }) => part)).size < 2) return rows;
  return rows.map((row) => (row.part === '' ? row : { ...row, name: `${row.part} ${row.name}`, rank: null }));
}

const named = ({ kind, id, entity_id }: EntityFact): JobName => ({
  id: entityKey(kind, id),
  name: id,
  entity: entity_id,
});

function rankOf(row: MemberRow, runsOn: RankPlace, signs: ReadonlyMap<number, LifeSignFact>): JobRank {
  const { entities, name, rank } = row;
  const [first] = entities;
  const stepsFrom = (['spans', 'lines', 'metrics'] as const).find((from) => row[from].length > 0) ?? null;
  const processes = stepsFrom === null ? [] : row[stepsFrom];
  // Other rows of a service may be about its requests.
  const own = entities.flatMap(({ kind, entity_id }) => (kind === 'service' ? [] : (signs.get(entity_id) ?? [])));
  return {
    entities: entities.map(({ entity_id }) => entity_id),
    entityKey: entityKey(first!.kind, first!.id),
    name,
    rank,
    runsOn,
    stepsFrom,
    processes,
    first_ns: least([...processes, ...own].map(({ first_ns }) => first_ns)),
    last_ns: most([...processes, ...own].map(({ last_ns }) => last_ns)),
    operation_ns: most(own.flatMap(({ operation_ns }) => operation_ns ?? [])),
  };
}

/** Canonical: a job, and its ranks. */
export const entitiesOf = ({ works, ranks }: Pick<JobMembers, 'works' | 'ranks'>): number[] => [
  ...works,
  ...ranks.flatMap(({ entities }) => entities),
];

const naturally = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

/** null: of nothing. */
export const least = (times: readonly bigint[]): bigint | null =>
  times.reduce<bigint | null>((first, time) => (first === null || time < first ? time : first), null);
export const most = (times: readonly bigint[]): bigint | null =>
  times.reduce<bigint | null>((last, time) => (last === null || time > last ? time : last), null);
