import type { LateRankFact, StatedEvent } from '../../store/facts/reader.ts';
import type { JobRank, RankPlace, WaitedRank } from './job.ts';

interface WaitFacts {
  /** Of collective_stalled and collective_mismatch. */
  readonly events: readonly StatedEvent[];
  readonly late: readonly LateRankFact[];
}

/** The ranks of a job that others waited for: those of a stall first, then those that lost most time. */
export function waitedRanks(ranks: readonly JobRank[], { events, late }: WaitFacts): WaitedRank[] {
  const rows = new Map(
    ranks.flatMap(({ entities, entityKey, name, runsOn }, row) =>
      entities.map((entity) => [entity, { row, entityKey, name, runsOn }] as const),
    ),
  );
  // A rank that only lags is affected by one that never came, which is more severe.
  const stalled = events
    .toSorted((a, b) => a.severity - b.severity)
    .flatMap((event) => ofEvent(event, rows.get(event.entity)) ?? []);
  const last = late.flatMap((one) => ofLate(one, rows.get(one.entity)) ?? []);
  return [...stalled, ...last.sort((a, b) => (b.lost_s ?? 0) - (a.lost_s ?? 0))];
}

interface Who {
  readonly row: number;
  readonly entityKey: string;
  readonly name: string;
  readonly runsOn: RankPlace;
}

function ofEvent(event: StatedEvent, who: Who | undefined): WaitedRank | undefined {
  if (!who) return undefined;
  return {
    ...who,
    kind: event.type === 'collective_mismatch' ? 'mismatched' : 'stalled',
    text: event.message,
    waiting: waitingIn(event.attributes),
    late: null,
    operations: null,
    lost_s: null,
    times: null,
    own_step: null,
    others_step: null,
    from_ns: event.time_ns,
    to_ns: event.time_ns,
    refs: [`event:${event.event_id}`],
  };
}

function ofLate(fact: LateRankFact, who: Who | undefined): WaitedRank | undefined {
  if (!who) return undefined;
  const { late, operations, lost_s, first_ns, last_ns, group_name, refs } = fact;
  return {
    ...who,
    kind: 'late',
    text: group_name,
    waiting: [],
    late,
    operations,
    lost_s,
    times: null,
    own_step: null,
    others_step: null,
    from_ns: first_ns,
    to_ns: last_ns,
    refs: refs === '' ? [] : refs.split(' '),
  };
}

/** Numbers of the ranks that wait, as the derived event lists them. */
function waitingIn(attributes: string): number[] {
  if (attributes === '') return [];
  try {
    const { waiting_ranks } = JSON.parse(attributes) as { waiting_ranks?: unknown };
    return Array.isArray(waiting_ranks) ? waiting_ranks.filter((rank) => Number.isInteger(rank)) : [];
  } catch {
    return [];
  }
}
