import { type EntityKind, type Layer, layerOf } from '../../../model/entity.ts';
import { eventEntry, ofSoftwareAlone } from '../../../model/telemetry/event-catalog.ts';
import type { Reader } from '../../store/facts/reader.ts';
import { eventMetrics } from '../derive/derive-events.ts';

/** Background of a window: data of the whole case. */
export interface Background {
  readonly eventsInCase: number;
  /** Of these, all but what programs write of themselves. */
  readonly deviceEvents: number;
  /** Layers of which an event was recorded, or a series that would show one. */
  readonly recordedLayers: ReadonlySet<Layer>;
  /** Number of events of a type on an entity in the whole case. */
  occurrences(entity: number, type: string): number;
  /** Whether anything at all was recorded about an entity. */
  isWatched(entity: number): boolean;
  /** Whether samples of it were recorded. */
  isSampled(entity: number): boolean;
}

export async function readBackground(reader: Reader): Promise<Background> {
  const eventsInCase = await reader.eventCount();
  const deviceEvents = eventsInCase === 0 ? 0 : await reader.eventCount(ofSoftwareAlone);
  const recordedLayers = new Set((await reader.eventTypes(eventMetrics)).flatMap(reportedLayer));
  const repeated = new Map(
    (await reader.repeatedEvents()).map(({ entity, type, times }) => [`${entity} ${type}`, times]),
  );
  const watched = new Set(await reader.watchedEntities());
  const sampled = new Set(await reader.sampledEntities());
  return {
    eventsInCase,
    deviceEvents,
    recordedLayers,
    occurrences: (entity, type) => repeated.get(`${entity} ${type}`) ?? 1,
    isWatched: (entity) => watched.has(entity),
    isSampled: (entity) => sampled.has(entity),
  };
}

/**
 * The layer that an event belongs to. Node events of the orchestrator and process events of an agent are no evidence on the
 * machine, so they do not count as its layer. Unknown entities belong to no layer.
 */
function reportedLayer({ kind, type }: { readonly kind: EntityKind; readonly type: string }): Layer[] {
  const layer = eventEntry(type)?.layer;
  if (layer === 'orchestrator' || layer === 'service') return [layer];
  return kind === 'device' ? [] : [layerOf(kind)];
}
