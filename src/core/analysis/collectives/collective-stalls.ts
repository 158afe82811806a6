import { type CollectiveFact, isCompleted, type MatchKind, matchEntries } from './collective-match.ts';
import { CollectiveProgress, type GroupProgress } from './collective-progress.ts';
import { CollectiveWaits } from './collective-waits.ts';

export type { CollectiveFact, MatchKind } from './collective-match.ts';

/** One operation of a process group that did not get through. */
export interface CollectiveStall {
  readonly group_id: string;
  readonly group_name: string;
  readonly sequence: number;
  readonly operation: string;
  /** How the entries compare over the ranks that entered it. */
  readonly kind: MatchKind;
  /** Ranks that entered and are not through. */
  readonly waiting: readonly number[];
  /** Ranks that never entered. */
  readonly missing: readonly number[];
  /** Ranks that are through. */
  readonly completed: readonly number[];
}

/**
 * `missing`: never entered what others wait in, and waits for nobody itself. `absent`: the same, and nothing of it was
 * recorded. `lagging`: still has as pending what its peers completed with its help. `mismatch`: entered something else
 * than most. `not_started`: entered, but its device never began what the other ranks' devices are in.
 */
export type StallCauseReason = 'missing' | 'absent' | 'lagging' | 'mismatch' | 'not_started';

export interface StallCause {
  readonly rank: number;
  readonly reason: StallCauseReason;
  /** Where it shows: of several groups the one in which others have waited longest. */
  readonly group_id: string;
  readonly group_name: string;
  /** Of the collective; -1 when the others wait for a message. */
  readonly sequence: number;
}

export interface StallAnalysis {
  /** Of each group at most: the first operation that some completed and others did not, the first that nobody got through, and the first that somebody never entered. */
  readonly stalls: readonly CollectiveStall[];
  /** By rank; empty when nothing is stuck, or when everybody entered everything alike: then no rank is to blame. */
  readonly causes: readonly StallCause[];
}

/**
 * Why a job hangs, from what each rank recorded of its collectives.
 *
 * A rank is stuck for one of two reasons: another rank has not come to where it waits, or something is wrong with
 * itself. So who waits for whom is drawn as a graph; blame passes along it and stops where nobody is waited for any
 * more. A rank that is missing in one group because it is stuck in another is thereby excused. What remains are ranks
 * that others wait for and that wait for nobody.
 *
 * Three things are a rank's own doing whatever it waits for: entering another operation than its peers under the same
 * number; still holding as pending what its peers completed, which they could only with its help (so its device, or the
 * thread that watches the device, stopped); and not beginning on the device what the others are inside of.
 *
 * Nothing here depends on clocks: ranks run on machines whose clocks differ. Times only order the entries of one rank.
 */
export function findCollectiveStalls(facts: readonly CollectiveFact[]): StallAnalysis {
  const progress = new CollectiveProgress(facts);
  const causes = new Map<number, StallCause>();
  const blame = (rank: number, reason: StallCauseReason, group: GroupProgress, sequence: number): void => {
    const { id: group_id, name: group_name } = group;
    if (!causes.has(rank)) causes.set(rank, { rank, reason, group_id, group_name, sequence });
  };
  const stalls = [...progress.groups.values()].flatMap(stallsOf);
  for (const { group, sequence, deviating } of mismatches(progress))
    for (const rank of deviating) blame(rank, 'mismatch', group, sequence);
  for (const { rank, reason, group, sequence } of new CollectiveWaits(progress).origins())
    blame(rank, reason, group, sequence);
  for (const [rank, { group, sequence }] of progress.lagging) blame(rank, 'lagging', group, sequence);
  return { stalls, causes: [...causes.values()].sort((a, b) => a.rank - b.rank) };
}

function stallsOf(group: GroupProgress): CollectiveStall[] {
  const sequences = [group.firstLagging(), group.firstBlocked(), group.firstMissed()].filter(
    (one) => one !== undefined,
  );
  return [...new Set(sequences)].sort((a, b) => a - b).map((sequence) => stallAt(group, sequence));
}

function stallAt(group: GroupProgress, sequence: number): CollectiveStall {
  const facts = [...(group.at(sequence)?.values() ?? [])];
  const waiting = facts.filter((fact) => !isCompleted(fact)).map(({ rank }) => rank);
  const missing = group.missingAt(sequence);
  const completed = group.members.filter((rank) => !waiting.includes(rank) && !missing.includes(rank));
  // Ranks that completed it may have no entry any more: what they did is known all the same.
  const { kind } = matchEntries(facts);
  const agreed = kind === 'FULLY_MATCHED' || kind === 'UNDECIDED';
  return {
    group_id: group.id,
    group_name: group.name,
    sequence,
    operation: facts[0]?.operation ?? '',
    kind: agreed && completed.length > 0 ? 'COLLECTIVE_STATE_MISMATCH' : kind,
    waiting: waiting.sort((a, b) => a - b),
    missing,
    completed,
  };
}

/** Ranks that entered something else than their peers, in the first operation of each group that is stuck. */
function* mismatches(progress: CollectiveProgress): Generator<{
  readonly group: GroupProgress;
  readonly sequence: number;
  readonly deviating: readonly number[];
}> {
  for (const group of progress.groups.values()) {
    const sequence = group.firstBlocked();
    if (sequence === undefined) continue;
    const { deviating } = matchEntries([...(group.at(sequence)?.values() ?? [])]);
    if (deviating.length > 0) yield { group, sequence, deviating };
  }
}
