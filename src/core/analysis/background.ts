import { type Layer, layerOf } from '../../model/entity.ts';
import type { Reader } from '../store/reader.ts';

/** What a case holds beside the events of one window. */
export interface Background {
  readonly eventsInCase: number;
  /** Layers of which any event or series was recorded. */
  readonly recordedLayers: ReadonlySet<Layer>;
  /** How often a type of event was recorded on an entity, in the whole case. */
  occurrences(entity: number, type: string): number;
  /** Whether anything at all was recorded about an entity. */
  isWatched(entity: number): boolean;
}

export async function readBackground(reader: Reader): Promise<Background> {
  const eventsInCase = await reader.eventCount();
  const recordedLayers = new Set((await reader.recordedKinds()).map(layerOf));
  const repeated = new Map(
    (await reader.repeatedEvents()).map(({ entity, type, times }) => [`${entity} ${type}`, times]),
  );
  const watched = new Set(await reader.watchedEntities());
  return {
    eventsInCase,
    recordedLayers,
    occurrences: (entity, type) => repeated.get(`${entity} ${type}`) ?? 1,
    isWatched: (entity) => watched.has(entity),
  };
}
