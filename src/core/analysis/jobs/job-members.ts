import { entityKey } from '../../../model/entity.ts';
import { readRankId } from '../../../model/rank-name.ts';
import type { EdgeFact, EntityFact, LifeSignFact, StepProcessFact } from '../../store/facts/reader.ts';
import { type NamedProcess, ProcessNames } from '../patterns/training/process-names.ts';
import type { EntityNode } from '../topology/entity-graph.ts';
import type { JobRank } from './job.ts';
import { rankPlaces } from './rank-places.ts';

/** What rows of a job rest on. */
export interface MemberFacts {
  readonly entities: readonly EntityFact[];
  readonly edges: readonly EdgeFact[];
  readonly spans: readonly StepProcessFact[];
  readonly lines: readonly StepProcessFact[];
  readonly metrics: readonly StepProcessFact[];
}

/** The job that a row belongs to. */
export interface JobName {
  /** `job:llm`, `service:pretrain`; `ranks:FOLDER` of ranks whose job no row names. */
  readonly id: string;
  readonly name: string;
  /** Canonical; -1: none. */
  readonly entity: number;
}

interface Row {
  readonly job: JobName;
  readonly entity: EntityFact;
  readonly name: string;
  readonly rank: number | null;
  readonly spans: StepProcessFact[];
  readonly lines: StepProcessFact[];
  readonly metrics: StepProcessFact[];
}

export interface JobMembers {
  readonly job: JobName;
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
  private readonly rows = new Map<string, Row>();
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

  /** Jobs by their id, with their rows by {@link Members.keyOf}. Jobs of which only the name is recorded have none. */
  jobs(signs: ReadonlyMap<number, LifeSignFact>): (JobMembers & { readonly keys: readonly string[] })[] {
    const placeOf = rankPlaces(this.known, this.facts.edges);
    const found = new Map<string, { job: JobName; rows: (readonly [string, Row])[] }>();
    for (const entity of this.known.values())
      if (entity.kind === 'job') found.set(entityKey('job', entity.id), { job: named(entity), rows: [] });
    for (const [key, row] of this.rows) {
      const own = found.get(row.job.id) ?? { job: row.job, rows: [] };
      own.rows.push([key, row]);
      found.set(row.job.id, own);
    }
    return [...found.values()].map(({ job, rows }) => {
      rows.sort(([, a], [, b]) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || naturally(a.name, b.name) || 0);
      const ranks = rows.map(([, row]): JobRank => {
        const { entity, name, rank } = row;
        const stepsFrom = (['spans', 'lines', 'metrics'] as const).find((from) => row[from].length > 0) ?? null;
        const processes = stepsFrom === null ? [] : row[stepsFrom];
        // Other rows of a service may be about its requests.
        const sign = entity.kind === 'service' ? undefined : signs.get(entity.entity_id);
        return {
          entity: entity.entity_id,
          entityKey: entityKey(entity.kind, entity.id),
          name,
          rank,
          runsOn: placeOf(entity.entity_id),
          stepsFrom,
          processes,
          first_ns: least([...processes.map(({ first_ns }) => first_ns), ...(sign ? [sign.first_ns] : [])]),
          last_ns: most([...processes.map(({ last_ns }) => last_ns), ...(sign ? [sign.last_ns] : [])]),
          operation_ns: sign?.operation_ns ?? null,
        };
      });
      return { job, ranks, keys: rows.map(([key]) => key) };
    });
  }

  private node(entity: number): EntityNode | undefined {
    const known = this.known.get(entity);
    return known && { key: entity, kind: known.kind, id: known.id, layer: 'service' };
  }

  private rowOf(process: StepProcessFact): Row | undefined {
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
    const row: Row = {
      job: named(job),
      entity,
      name: rank !== '' ? `rank ${rank}` : place !== '' ? place : entity.id,
      rank: number,
      spans: [],
      lines: [],
      metrics: [],
    };
    this.rows.set(key, row);
    return row;
  }

  private ofRank(entity: EntityFact): Row {
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
    const row: Row = {
      job: job ? named(job) : { id: `ranks:${prefix}`, name: prefix, entity: -1 },
      entity,
      name: stated ? `rank ${stated.rank}` : entity.id,
      rank: stated?.rank ?? null,
      spans: [],
      lines: [],
      metrics: [],
    };
    this.rows.set(key, row);
    return row;
  }
}

const named = ({ kind, id, entity_id }: EntityFact): JobName => ({
  id: entityKey(kind, id),
  name: id,
  entity: entity_id,
});
const naturally = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

/** null: of nothing. */
export const least = (times: readonly bigint[]): bigint | null =>
  times.reduce<bigint | null>((first, time) => (first === null || time < first ? time : first), null);
export const most = (times: readonly bigint[]): bigint | null =>
  times.reduce<bigint | null>((last, time) => (last === null || time > last ? time : last), null);
