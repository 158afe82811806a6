import { type CollectiveFact, endsOf, isCompleted, needsEveryone } from './collective-match.ts';

/** A pending entry with its position in the queue of its rank. */
export interface Pending {
  readonly fact: CollectiveFact;
  readonly group: GroupProgress;
  readonly position: number;
}

/** Progress of each rank of one process group. */
export class GroupProgress {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  /** Ascending; as recorded, else the ranks seen in the group. */
  readonly members: readonly number[];
  /** Global ranks by their rank within the group; undefined if not recorded. */
  readonly order: readonly number[] | undefined;
  private readonly bySequence = new Map<number, Map<number, CollectiveFact>>();
  private readonly first = new Map<number, number>();
  private readonly last = new Map<number, number>();
  private readonly through = new Map<number, number>();
  private missed: { readonly sequence: number | undefined } | undefined;
  private leaders: { readonly rank: number; readonly first: number; readonly second: number } | undefined;

  constructor(key: string, facts: readonly CollectiveFact[], order: readonly number[] | undefined) {
    this.key = key;
    this.id = facts[0]?.group_id ?? '';
    this.name = facts[0]?.group_name ?? '';
    this.order = order;
    this.members = [...new Set(order ?? facts.map(({ rank }) => rank))].sort((a, b) => a - b);
  }

  add(fact: CollectiveFact): void {
    const sequence = Number(fact.sequence);
    const entries = this.bySequence.get(sequence) ?? new Map<number, CollectiveFact>();
    this.bySequence.set(sequence, entries.set(fact.rank, fact));
    this.first.set(fact.rank, Math.min(sequence, this.first.get(fact.rank) ?? sequence));
    this.last.set(fact.rank, Math.max(sequence, this.last.get(fact.rank) ?? sequence));
    if (isCompleted(fact)) this.through.set(fact.rank, Math.max(sequence, this.through.get(fact.rank) ?? sequence));
  }

  /** Entries of the ranks with a sequence number. */
  at(sequence: number): ReadonlyMap<number, CollectiveFact> | undefined {
    return this.bySequence.get(sequence);
  }

  /**
   * A recorder that was never full dropped no pending entry: operations before its first entry are complete, because a group's
   * collectives complete in order.
   */
  completeBefore(rank: number): void {
    const first = this.first.get(rank);
    if (first !== undefined) this.through.set(rank, Math.max(first - 1, this.through.get(rank) ?? first - 1));
  }

  isThrough(rank: number, sequence: number): boolean {
    return (this.through.get(rank) ?? -1) >= sequence;
  }

  /** Members that never entered the operation with this number. */
  missingAt(sequence: number): number[] {
    return this.members.filter((rank) => (this.last.get(rank) ?? -1) < sequence && !this.isThrough(rank, sequence));
  }

  /** Whether an entry is complete, because completion on a peer proves that all ranks took part. */
  isOver(fact: CollectiveFact): boolean {
    return needsEveryone(fact.operation) && this.othersThrough(fact.rank) >= Number(fact.sequence);
  }

  /** The first number with a pending rank and no proof of completion. */
  firstBlocked(): number | undefined {
    return this.sequences().find((sequence) => this.isBlocked(sequence));
  }

  /** The first number with a pending rank and a missing rank. */
  firstMissed(): number | undefined {
    this.missed ??= {
      sequence: this.sequences().find((sequence) => this.isBlocked(sequence) && this.missingAt(sequence).length > 0),
    };
    return this.missed.sequence;
  }

  /** The first number with a pending rank despite proof of completion. */
  firstLagging(): number | undefined {
    return this.sequences().find((sequence) =>
      [...(this.at(sequence)?.values() ?? [])].some((fact) => !isCompleted(fact) && this.isOver(fact)),
    );
  }

  private isBlocked(sequence: number): boolean {
    for (const fact of this.bySequence.get(sequence)?.values() ?? [])
      if (!isCompleted(fact) && !this.isOver(fact)) return true;
    return false;
  }

  private sequences(): number[] {
    return [...this.bySequence.keys()].sort((a, b) => a - b);
  }

  /** Last number completed by any other rank; -1 if unknown. */
  private othersThrough(rank: number): number {
    if (!this.leaders) {
      const ranked = [...this.through].sort(([, a], [, b]) => b - a);
      this.leaders = { rank: ranked[0]?.[0] ?? -1, first: ranked[0]?.[1] ?? -1, second: ranked[1]?.[1] ?? -1 };
    }
    return rank === this.leaders.rank ? this.leaders.second : this.leaders.first;
  }
}

/** Facts sorted into groups and ranks. */
export class CollectiveProgress {
  readonly groups: ReadonlyMap<string, GroupProgress>;
  /** Pending entries of a rank, in queue order. */
  readonly pending: ReadonlyMap<number, readonly Pending[]>;
  /** Ranks with a pending operation that a peer completed with their data, and the first such operation. */
  readonly lagging: ReadonlyMap<number, { readonly group: GroupProgress; readonly sequence: number }>;
  /** Ranks whose recorder sees the start on the device; others report "scheduled" until completion. */
  readonly timed: ReadonlySet<number>;
  /** Ranks with a recording. */
  readonly recorded: ReadonlySet<number>;

  constructor(facts: readonly CollectiveFact[]) {
    const byRank = groupBy(facts, ({ rank }) => rank);
    this.recorded = new Set(byRank.keys());
    const keys = groupKeys(facts);
    const groups = new Map<string, GroupProgress>();
    for (const [key, members] of groupBy(facts, (fact) => keys(fact))) {
      const order = members.find(({ group_ranks }) => group_ranks !== null)?.group_ranks ?? undefined;
      const group = new GroupProgress(key, members, order);
      for (const fact of members) if (isNumberedCollective(fact)) group.add(fact);
      for (const rank of recordersThatNeverRanFull(byRank)) group.completeBefore(rank);
      groups.set(key, group);
    }
    this.groups = groups;
    this.pending = new Map([...byRank].map(([rank, own]) => [rank, pendingOf(own, (fact) => groups.get(keys(fact))!)]));
    this.lagging = findLagging(this.pending);
    this.timed = new Set(
      facts.filter(({ state, started_ns }) => state === 'started' || started_ns > 0n).map(({ rank }) => rank),
    );
  }
}

/** Point-to-point operations carry the number of the last collective, not one of their own. */
export const isNumberedCollective = ({ sequence, operation, is_p2p }: CollectiveFact): boolean =>
  Number(sequence) >= 0 &&
  (is_p2p === undefined || is_p2p === null ? !endsOf(operation) && operation !== 'coalesced' : !is_p2p);

function groupBy<K>(facts: readonly CollectiveFact[], key: (fact: CollectiveFact) => K): Map<K, CollectiveFact[]> {
  const groups = new Map<K, CollectiveFact[]>();
  for (const fact of facts) {
    const list = groups.get(key(fact));
    if (list) list.push(fact);
    else groups.set(key(fact), [fact]);
  }
  return groups;
}

/** Groups with one id may have different ranks (split groups); a fact without a list belongs to the only list. */
function groupKeys(facts: readonly CollectiveFact[]): (fact: CollectiveFact) => string {
  const lists = new Map<string, Set<string>>();
  const texts = new Map<readonly number[] | null, string>();
  const textOf = (ranks: readonly number[] | null): string => {
    let text = texts.get(ranks);
    if (text === undefined) {
      text = ranks?.join() ?? '';
      texts.set(ranks, text);
    }
    return text;
  };
  for (const { group_id, group_ranks } of facts)
    if (group_ranks) lists.set(group_id, (lists.get(group_id) ?? new Set()).add(textOf(group_ranks)));
  return ({ group_id, group_ranks }) => {
    const known = lists.get(group_id);
    const list = group_ranks ? textOf(group_ranks) : known?.size === 1 ? [...known][0] : '';
    return `${group_id}\n${list}`;
  };
}

/**
 * All ranks of a job have a recorder of the same size. A rank with fewer entries than another has not dropped any; for ranks
 * with most entries this is unknown.
 */
function recordersThatNeverRanFull(byRank: ReadonlyMap<number, readonly CollectiveFact[]>): number[] {
  let most = 0;
  for (const facts of byRank.values()) most = Math.max(most, facts.length);
  return [...byRank].filter(([, facts]) => facts.length < most).map(([rank]) => rank);
}

function pendingOf(facts: readonly CollectiveFact[], groupOf: (fact: CollectiveFact) => GroupProgress): Pending[] {
  // The order of creation on one machine; entries without a time stay in the order of the recording.
  const ordered = [...facts].sort((a, b) => (a.created_ns < b.created_ns ? -1 : a.created_ns > b.created_ns ? 1 : 0));
  return ordered.flatMap((fact, position) => (isCompleted(fact) ? [] : { fact, group: groupOf(fact), position }));
}

function findLagging(
  pending: ReadonlyMap<number, readonly Pending[]>,
): Map<number, { readonly group: GroupProgress; readonly sequence: number }> {
  const lagging = new Map<number, { readonly group: GroupProgress; readonly sequence: number }>();
  for (const [rank, own] of pending) {
    const over = own.find(({ fact, group }) => isNumberedCollective(fact) && group.isOver(fact));
    if (over) lagging.set(rank, { group: over.group, sequence: Number(over.fact.sequence) });
  }
  return lagging;
}
