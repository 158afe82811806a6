import { entityKey } from '../../../model/entity.ts';
import type { EntityFact } from '../../store/facts/reader.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import type { WaitedRank } from './job.ts';
import type { JobMembers } from './job-members.ts';

/**
 * The ranks of a job whose steps took longer than before while those of most others did not, in order of time.
 * @param windows of all jobs, each of one or more ranks
 */
export function slowRanks(
  { job, ranks }: JobMembers,
  windows: readonly ImpactWindow[],
  known: ReadonlyMap<number, EntityFact>,
): WaitedRank[] {
  const works = new Set([job.entity, ...ranks.flatMap(({ processes }) => processes.map(({ entity }) => entity))]);
  const own = windows.filter(({ service }) => works.has(service));
  return own.flatMap(({ parts, onset_ns, end_ns, slowed_times }) =>
    parts.flatMap(({ kind, name }, at): WaitedRank[] => {
      const row = kind === 'rank' ? ranks.findIndex(({ rank }) => `rank-${rank}` === name) : -1;
      const rank = ranks[row];
      const node = known.get(rank?.entity ?? -1);
      if (!rank || !node) return [];
      return [
        {
          row,
          entityKey: entityKey(node.kind, node.id),
          name: rank.name,
          runsOn: rank.runsOn,
          kind: 'slow',
          text: '',
          waiting: [],
          late: null,
          operations: null,
          lost_s: null,
          // Of several ranks only the first is measured.
          times: at === 0 ? (slowed_times ?? null) : null,
          own_step: null,
          others_step: null,
          from_ns: onset_ns,
          to_ns: end_ns,
          refs: [],
        },
      ];
    }),
  );
}
