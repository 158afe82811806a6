import type { Alias } from '../../../model/entity.ts';
import { type RankAlias, rankId } from '../../../model/rank-name.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';

/** A process of a distributed job. */
export interface RankNames {
  readonly rank: number;
  /** The job as the recording names it, with its namespace if it has one; '': unknown. */
  readonly job: string;
  /** `unnamed`: the recording names no job, and `job` only keeps its ranks apart, such as the folder of the dumps. */
  readonly alias: RankAlias;
}

/** Number in the batch of a rank: rank 12 of two jobs is two entities, and one without a job is called `rank-12`. */
export function rankEntity(builder: BatchBuilder, { rank, job, alias }: RankNames, attributes = ''): number {
  return builder.entity('rank', rankId(rank, job), rankAliases({ rank, job, alias }), attributes);
}

export const rankAliases = ({ rank, job, alias }: RankNames): Alias[] =>
  job === '' ? [] : [{ kind: alias, name: rankId(rank, '') }];
