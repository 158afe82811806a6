import { readRankId } from '../../../model/rank-name.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';

const types: ReadonlySet<string> = new Set(['collective_stalled', 'collective_mismatch'] satisfies EventType[]);

/**
 * The job that waits for the rank of an event, as names of ranks have it; undefined: the event is about no such rank. Ranks that a job waits
 * for wait for no other rank, so none of them is the effect of another, and to find one clears none of the others.
 */
export function waitingJob({ entity, type }: EventFact, graph: EntityGraph): string | undefined {
  const node = types.has(type) ? graph.node(entity) : undefined;
  return node?.kind === 'rank' ? readRankId(node.id)?.job : undefined;
}
