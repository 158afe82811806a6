import { rankId, readRankId } from '../../../../model/rank-name.ts';
import type { EntityFact } from '../../../store/facts/reader.ts';
import type { EntityNode } from '../../topology/entity-graph.ts';

/** A process as spans name it. */
export interface NamedProcess {
  /** Canonical; -1: unnamed. */
  readonly entity: number;
  /** '': none. */
  readonly rank: string;
  readonly place: string;
  readonly job: string;
}

export const processKey = ({ entity, rank, place, job }: NamedProcess): string => [entity, job, rank, place].join('\n');

/** Entities of a case, by canonical number. */
interface NamedEntities {
  readonly rows: { readonly entities: readonly EntityFact[] };
  entityNode(entity: number): EntityNode | undefined;
  name(entity: number): string;
}

/** Names and entities of the processes of training jobs. */
export class ProcessNames {
  private readonly facts: NamedEntities;
  private readonly ranks: ReadonlyMap<string, number>;

  constructor(facts: NamedEntities) {
    this.facts = facts;
    this.ranks = new Map(
      facts.rows.entities.filter(({ kind }) => kind === 'rank').map(({ id, canonical_id }) => [id, canonical_id]),
    );
  }

  /** Canonical entity of the rank, else of what its spans name. */
  entity({ entity, rank, job }: NamedProcess): number {
    if (!/^\d{1,6}$/.test(rank)) return entity;
    const named = job === '' && entity >= 0 ? this.facts.name(entity) : job;
    return this.ranks.get(rankId(Number(rank), named)) ?? this.ranks.get(rankId(Number(rank), '')) ?? entity;
  }

  name(process: NamedProcess): string {
    const entity = this.entity(process);
    const name = this.facts.name(entity);
    if (process.rank !== '') return entity === process.entity ? `rank ${process.rank} of ${name}` : name;
    return process.place === '' ? name : `${name} on ${process.place}`;
  }

  /** Equal for the processes of one job. */
  group(process: NamedProcess): string {
    const node = this.facts.entityNode(process.entity);
    const rank = node?.kind === 'rank' ? readRankId(node.id) : undefined;
    return rank ? `ranks of ${rank.job}` : `${process.entity} ${process.job}`;
  }

  /** The job of processes of one group, for a text; '': unknown. */
  jobName(process: NamedProcess): string {
    if (process.job !== '') return process.job;
    const node = this.facts.entityNode(process.entity);
    return (node?.kind === 'rank' ? readRankId(node.id)?.job : node?.id) ?? '';
  }
}
