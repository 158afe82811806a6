import { type BandTone, bandTones } from '../../../model/lane-kind.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { type EventState, eventStates } from '../../../model/telemetry/event-catalog.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import type { LaneTargetOf } from './lane-target.ts';

/** State of an entity between two events, on the case's clock. */
export interface Episode {
  readonly from_ns: bigint;
  readonly until_ns: bigint;
  /** No end was recorded. */
  readonly isOpen: boolean;
  readonly tone: BandTone;
  readonly name: string;
  readonly ref: string;
}
/** States of one kind of an entity, ascending; unknown before the first and after the last. */
export type Episodes = readonly Episode[];

const stateOf = new Map<string, EventState>(
  eventStates.flatMap((state) =>
    Object.keys({ ...state.opens, ...state.closes }).map((type) => [type, state] as const),
  ),
);
const types = [...stateOf.keys()].join();

export interface StateEntity {
  readonly entity: number;
  readonly state: EventState;
  /** Its begin and end events. */
  readonly count: number;
  readonly sources: readonly number[];
}

/** Entities with states from events. */
export async function readStateEntities(session: Session): Promise<StateEntity[]> {
  const rows = rowsOf<{ entity: number; type: EventType; count: bigint; sources: number[] }>(
    await session.query(queries.stateLanes, [types]),
  );
  return [...Map.groupBy(rows, ({ entity }) => entity)].flatMap(([entity, own]) =>
    [...Map.groupBy(own, ({ type }) => stateOf.get(type)!)]
      .filter(([{ opens }, closing]) => closing.some(({ type }) => opens[type] !== undefined))
      .map(([state, reports]) => ({
        entity,
        state,
        count: reports.reduce((sum, { count }) => sum + Number(count), 0),
        sources: [...new Set(reports.flatMap(({ sources }) => sources))],
      })),
  );
}

interface StateEvent {
  readonly entity: number;
  readonly type: EventType;
  readonly event_id: number;
  readonly severity: number;
  readonly time_ns: bigint;
  readonly known_until_ns: bigint;
}

type EpisodesTarget = LaneTargetOf<'episodes'>;

/** As long as a target lives, nothing has changed in the case; every window of its lane is a part of these. */
const known = new WeakMap<EpisodesTarget, Episodes>();

/** The states of entities over the whole case, read on first use. */
export async function readEpisodes(
  session: Session,
  targets: readonly EpisodesTarget[],
  signal?: AbortSignal,
): Promise<(target: EpisodesTarget) => Episodes> {
  const unknown = targets.filter((target) => !known.has(target));
  if (unknown.length > 0) {
    const list = listText(new Set(unknown.map(({ entity }) => entity)));
    const events = rowsOf<StateEvent>(await session.query(queries.stateEvents, [types, list], signal));
    const byEntity = Map.groupBy(events, ({ entity }) => entity);
    for (const target of unknown) {
      const own = (byEntity.get(target.entity) ?? []).filter(({ type }) => stateOf.get(type) === target.state);
      known.set(target, episodesOf(own, target.state));
    }
  }
  return (target) => known.get(target) ?? [];
}

function episodesOf(events: readonly StateEvent[], { opens, closes }: EventState): Episodes {
  const episodes: Episode[] = [];
  let known = events[0]?.known_until_ns ?? 0n;
  let current: Omit<Episode, 'until_ns' | 'isOpen'> | undefined;
  for (const { type, event_id, severity, time_ns, known_until_ns } of events) {
    if (known_until_ns > known) known = known_until_ns;
    const opened = opens[type];
    const name = opened ?? closes[type]!;
    // A repeated begin continues the state.
    if (current?.name === name) continue;
    if (current) episodes.push({ ...current, until_ns: time_ns, isOpen: false });
    const tone = opened === undefined ? 'calm' : (bandTones[severity] ?? 'low');
    current = { from_ns: time_ns, tone, name, ref: `event:${event_id}` };
  }
  if (current) episodes.push({ ...current, until_ns: known, isOpen: current.tone !== 'calm' });
  return episodes;
}
