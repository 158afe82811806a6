/**
 * Names of ranks. A number is unique within a job only: `train/llm/rank-12` is rank 12 of the job `llm` in the namespace `train`,
 * `rank-12` one of a job that the recording does not name.
 */
export const rankId = (rank: number, job: string): string => (job === '' ? `rank-${rank}` : `${job}/rank-${rank}`);

/** Whether the job of a qualified rank is named by the recording, or only its ranks are kept apart from others. */
export type RankAlias = 'rank_of_job' | 'rank_of_unnamed_job';

const RANK = /^(?:(.*)\/)?rank-(\d+)$/s;

/** undefined: no name of a rank. */
export function readRankId(id: string): { readonly rank: number; readonly job: string } | undefined {
  const match = RANK.exec(id);
  return match ? { rank: Number(match[2]), job: match[1] ?? '' } : undefined;
}
