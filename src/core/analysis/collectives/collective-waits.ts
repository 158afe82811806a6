import { stronglyConnected } from '../topology/strongly-connected.ts';
import { type CollectiveFact, endsOf, isCompleted } from './collective-match.ts';
import {
  type CollectiveProgress,
  type GroupProgress,
  isNumberedCollective,
  type Pending,
} from './collective-progress.ts';
import { collectives } from './parameters.ts';

/** A rank that waits for no other, and one operation in which others wait for it. */
export interface Origin {
  readonly rank: number;
  readonly reason: 'missing' | 'absent' | 'not_started';
  readonly group: GroupProgress;
  readonly sequence: number;
}

/** An operation that ranks wait in: a collective of a group, or the messages from one of its ranks to another. */
interface Place {
  readonly group: GroupProgress;
  readonly sequence: number;
  /** Start of the first wait. */
  since: bigint;
  /** Ranks that block it: missing or not started. */
  readonly awaited: Map<number, 'missing' | 'not_started'>;
  /** Ranks that entered but have an older operation first. */
  readonly behind: Set<number>;
}

/**
 * Graph of waits. Ranks point to the operations that they wait in, operations to the ranks that block them. Operations have
 * two kinds of edges: to missing ranks, and to ranks that only have an older operation first. Only the first kind incriminates;
 * both exclude.
 */
export class CollectiveWaits {
  private readonly progress: CollectiveProgress;
  private readonly ranks = new Map<number, number>();
  private readonly places = new Map<string, { readonly node: number; readonly place: Place }>();
  private readonly edges: number[][] = [];

  constructor(progress: CollectiveProgress) {
    this.progress = progress;
    for (const rank of this.everyRank()) this.ranks.set(rank, this.edges.push([]) - 1);
    for (const [rank, pending] of progress.pending) {
      this.waitInCollectives(rank, pending);
      // Pending messages of a rank without completion tracking may have completed long ago.
      if (!progress.lagging.has(rank)) this.waitForMessages(rank, pending);
    }
    for (const { node, place } of this.places.values())
      for (const rank of new Set([...place.awaited.keys(), ...place.behind]))
        this.edges[node]!.push(this.ranks.get(rank)!);
  }

  /**
   * Awaited ranks without outgoing edges. In a cycle without an exit the ranks wait for each other: those awaited within the
   * cycle are reported.
   */
  origins(): Origin[] {
    const component = stronglyConnected(this.edges);
    const leaves = new Set<number>();
    const sizes = new Map<number, number>();
    this.edges.forEach((targets, node) => {
      const own = component[node]!;
      sizes.set(own, (sizes.get(own) ?? 0) + 1);
      if (targets.some((target) => component[target] !== own)) leaves.add(own);
    });
    const known = this.progress.recorded.size >= this.ranks.size * collectives.recordedShare;
    const found: Origin[] = [];
    const places = [...this.places.values()].sort((a, b) => (a.place.since < b.place.since ? -1 : 1));
    for (const { node, place } of places) {
      for (const [rank, reason] of place.awaited) {
        const own = component[this.ranks.get(rank)!]!;
        if (leaves.has(own) || ((sizes.get(own) ?? 0) > 1 && component[node] !== own)) continue;
        const absent = !this.progress.recorded.has(rank);
        if (absent && !known) continue;
        found.push({ rank, reason: absent ? 'absent' : reason, group: place.group, sequence: place.sequence });
      }
    }
    return found;
  }

  private everyRank(): Set<number> {
    const ranks = new Set(this.progress.recorded);
    for (const { members } of this.progress.groups.values()) for (const rank of members) ranks.add(rank);
    return ranks;
  }

  /** In each group a rank waits in its oldest incomplete entry, and in the first with a missing rank. */
  private waitInCollectives(rank: number, pending: readonly Pending[]): void {
    const lagging = this.progress.lagging.has(rank);
    const seen = new Set<GroupProgress>();
    for (const { fact, group } of pending) {
      if (!isNumberedCollective(fact) || group.isOver(fact)) continue;
      const sequence = Number(fact.sequence);
      // For a rank without completion tracking only missing ranks are known, not its position.
      if (group.firstMissed() === sequence || (!seen.has(group) && !lagging))
        this.wait(rank, `${group.key}\n${sequence}`, fact.created_ns, () => this.collective(group, sequence));
      seen.add(group);
    }
  }

  private collective(group: GroupProgress, sequence: number): Place {
    const entries = group.at(sequence) ?? new Map<number, CollectiveFact>();
    const begun = [...entries.values()].some(({ state }) => state === 'started');
    const place = emptyPlace(group, sequence);
    for (const rank of group.missingAt(sequence)) place.awaited.set(rank, 'missing');
    for (const [rank, fact] of entries) {
      if (isCompleted(fact)) continue;
      const seenByDevice = fact.state !== 'scheduled' || !this.progress.timed.has(rank);
      if (begun && !seenByDevice) place.awaited.set(rank, 'not_started');
      else if (this.isBehind(rank, fact)) place.behind.add(rank);
    }
    return place;
  }

  /** Whether a rank has an older operation before this entry, or this is unknown without completion tracking. */
  private isBehind(rank: number, fact: CollectiveFact): boolean {
    return this.progress.lagging.has(rank) || this.progress.pending.get(rank)?.[0]?.fact !== fact;
  }

  /**
   * Messages between two ranks arrive in order, so pending sends and receives pair up from the oldest. A rank waits in its
   * oldest message, and in the first without a counterpart.
   */
  private waitForMessages(rank: number, pending: readonly Pending[]): void {
    const channels = new Map<string, Pending[]>();
    for (const one of pending) {
      const ends = messageEnds(one);
      if (!ends || ends.own !== rank) continue;
      const key = `${one.group.key}\n${ends.from}>${ends.to}`;
      channels.set(key, [...(channels.get(key) ?? []), one]);
    }
    for (const [key, own] of channels) {
      const [first] = own;
      const peer = first && messageEnds(first)?.peer;
      if (!first || peer === undefined) continue;
      const theirs = (this.progress.pending.get(peer) ?? []).filter((one) => {
        const ends = messageEnds(one);
        return ends && ends.own === peer && `${one.group.key}\n${ends.from}>${ends.to}` === key;
      });
      const unmatched = own[theirs.length];
      const [match] = theirs;
      if (match) this.wait(rank, `${key}\n${rank}`, first.fact.created_ns, () => this.message(match, peer));
      if (unmatched)
        this.wait(rank, `${key}\n${rank}\nunmatched`, unmatched.fact.created_ns, () => {
          const place = emptyPlace(unmatched.group, -1);
          place.awaited.set(peer, 'missing');
          return place;
        });
    }
  }

  private message(match: Pending, peer: number): Place {
    const place = emptyPlace(match.group, -1);
    if (this.isBehind(peer, match.fact)) place.behind.add(peer);
    return place;
  }

  private wait(rank: number, key: string, since: bigint, make: () => Place): void {
    let known = this.places.get(key);
    if (!known) {
      known = { node: this.edges.push([]) - 1, place: make() };
      this.places.set(key, known);
    }
    const { place, node } = known;
    if (place.since === 0n || (since !== 0n && since < place.since)) place.since = since;
    this.edges[this.ranks.get(rank)!]!.push(node);
  }
}

const emptyPlace = (group: GroupProgress, sequence: number): Place => ({
  group,
  sequence,
  since: 0n,
  awaited: new Map(),
  behind: new Set(),
});

/** The two ranks of a message, and which of them recorded it; undefined when the group does not list its ranks. */
function messageEnds({
  fact,
  group,
}: Pending): { readonly from: number; readonly to: number; readonly own: number; readonly peer: number } | undefined {
  const ends = endsOf(fact.operation);
  const from = ends && group.order?.[ends.from];
  const to = ends && group.order?.[ends.to];
  if (from === undefined || to === undefined) return undefined;
  return fact.operation.startsWith('send') ? { from, to, own: from, peer: to } : { from, to, own: to, peer: from };
}
