import type { Session } from '../../model/engine.ts';
import { type EventState, eventStates } from '../../model/event-state.ts';
import type { EventType } from '../../model/event-type.ts';
import { type BandTone, bandTones } from '../../model/lane-kind.ts';
import { rowsOf } from '../store/case-file.ts';
import { questions } from '../store/questions/index.ts';

/** What a thing was from one event to the next, on the case's clock. */
export interface Episode {
  readonly from_ns: bigint;
  readonly until_ns: bigint;
  /** Nobody recorded that it was over. */
  readonly isOpen: boolean;
  readonly tone: BandTone;
  readonly name: string;
  readonly ref: string;
}
/** One kind of state of one thing, ascending; before the first and after the last nothing is known. */
export type Episodes = readonly Episode[];

export interface EpisodesOf {
  readonly entity: number;
  readonly state: EventState;
  readonly episodes: Episodes;
  readonly sources: readonly number[];
}

interface StateEvent {
  readonly entity: number;
  readonly type: EventType;
  readonly event_id: number;
  readonly severity: number;
  readonly source_id: number;
  readonly time_ns: bigint;
  readonly known_until_ns: bigint;
}

/** States that events tell of, of things that were in one that some event began. */
export async function readEpisodes(session: Session): Promise<EpisodesOf[]> {
  const stateOf = new Map(
    eventStates.flatMap((state) => Object.keys({ ...state.opens, ...state.closes }).map((type) => [type, state])),
  );
  const events = rowsOf<StateEvent>(await session.query(questions.stateEvents, [[...stateOf.keys()].join()]));
  const found: EpisodesOf[] = [];
  for (const [entity, own] of Map.groupBy(events, (event) => event.entity)) {
    for (const [state, told] of Map.groupBy(own, ({ type }) => stateOf.get(type) as EventState)) {
      if (!told.some(({ type }) => state.opens[type] !== undefined)) continue;
      const sources = [...new Set(told.map(({ source_id }) => source_id))];
      found.push({ entity, state, episodes: episodesOf(told, state), sources });
    }
  }
  return found;
}

function episodesOf(events: readonly StateEvent[], { opens, closes }: EventState): Episodes {
  const episodes: Episode[] = [];
  let known = events[0]?.known_until_ns ?? 0n;
  let current: Omit<Episode, 'until_ns' | 'isOpen'> | undefined;
  for (const { type, event_id, severity, time_ns, known_until_ns } of events) {
    if (known_until_ns > known) known = known_until_ns;
    const opened = opens[type];
    const name = opened ?? (closes[type] as string);
    // Said once more, it goes on.
    if (current?.name === name) continue;
    if (current) episodes.push({ ...current, until_ns: time_ns, isOpen: false });
    const tone = opened === undefined ? 'calm' : (bandTones[severity] ?? 'low');
    current = { from_ns: time_ns, tone, name, ref: `event:${event_id}` };
  }
  if (current) episodes.push({ ...current, until_ns: known, isOpen: current.tone !== 'calm' });
  return episodes;
}
