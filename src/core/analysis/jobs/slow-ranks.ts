import type { ImpactWindow } from '../impact/impact.ts';
import type { WaitedRank } from './job.ts';
import type { JobMembers } from './job-members.ts';

/**
 * The ranks of a job whose steps took longer than before while those of most others did not, in order of time.
 * @param windows of all jobs, each of one or more ranks
 */
export function slowRanks({ works, ranks }: JobMembers, windows: readonly ImpactWindow[]): WaitedRank[] {
  const measured = new Set([...works, ...ranks.flatMap(({ processes }) => processes.map(({ entity }) => entity))]);
  const own = windows.filter(({ service }) => measured.has(service));
  return own.flatMap(({ parts, onset_ns, end_ns, slowed_times }) =>
    parts.flatMap(({ kind, name }, at): WaitedRank[] => {
      const row = kind === 'rank' ? ranks.findIndex(({ rank }) => `rank-${rank}` === name) : -1;
      const rank = ranks[row];
      if (!rank) return [];
      return [
        {
          row,
          entityKey: rank.entityKey,
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
