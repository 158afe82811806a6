import { type CollectiveFact, isCompleted, type MatchKind, matchEntries } from './collective-match.ts';
import { CollectiveProgress, type GroupProgress } from './collective-progress.ts';
import { CollectiveWaits } from './collective-waits.ts';

export type { CollectiveFact, MatchKind } from './collective-match.ts';

/** An incomplete operation of a process group. */
export interface CollectiveStall {
  readonly group_id: string;
  readonly group_name: string;
  readonly sequence: number;
  readonly operation: string;
  /** How the entries compare over the ranks that entered it. */
  readonly kind: MatchKind;
  /** Ranks that entered and did not complete. */
  readonly waiting: readonly number[];
  /** Ranks that never entered. */
  readonly missing: readonly number[];
  /** Ranks that completed. */
  readonly completed: readonly number[];
}

/**
 * `missing`: did not enter an operation that others wait in, and waits for no other rank itself. `absent`: the same, without a
 * recording. `lagging`: has an operation pending that its peers completed with its data. `mismatch`: entered another
 * operation than most. `not_started`: entered, but its device did not begin the operation that the other devices are in.
 */
export type StallCauseReason = 'missing' | 'absent' | 'lagging' | 'mismatch' | 'not_started';

export interface StallCause {
  readonly rank: number;
  readonly reason: StallCauseReason;
  /** Its operation: of several groups, the one with the longest wait. */
  readonly group_id: string;
  readonly group_name: string;
  /** Of the collective; -1 for a point-to-point message. */
  readonly sequence: number;
}

export interface StallAnalysis {
  /** Per group at most: the first operation completed by some ranks only, the first completed by none, and the first that a rank did not enter. */
  readonly stalls: readonly CollectiveStall[];
  /** By rank; empty without a stall, or if all ranks entered the same operations. */
  readonly causes: readonly StallCause[];
}

/**
 * Finds the ranks that make a job hang, from the flight recorder entries of all ranks.
 *
 * A rank is stuck because it waits for another rank or because of a fault of its own. The graph of waits is followed until a
 * rank that waits for no other. A rank that is missing in one group because it is stuck in another is thereby excluded. Ranks
 * that others wait for and that wait for no other remain.
 *
 * Three observations are faults of a rank itself: it entered another operation than its peers with the same number; an
 * operation is pending that its peers completed with its data (so its device, or the thread that watches it, stopped); or its
 * device did not begin the operation that the others are in.
 *
 * Independent of clocks, which differ between machines. Times only order the entries of one rank.
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
  // Ranks that completed it may have dropped the entry, but their progress is known.
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

/** Ranks with another operation than their peers, in the first stalled operation of each group. */
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
