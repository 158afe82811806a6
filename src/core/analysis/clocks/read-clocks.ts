import { nanoseconds } from '../../../model/time.ts';
import type { EventFact, Reader } from '../../store/facts/reader.ts';
import { defaultMechanisms, type Mechanisms } from '../causality/mechanisms.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import type { ClockEstimate } from './clock-estimate.ts';
import { estimateClocks } from './estimate-clocks.ts';
import { MOST_QUARTERS, QUARTER_S } from './shift-votes.ts';
import { sourcesAlone } from './zone-hint.ts';

/** Maximum distance of the events of a window in a data source with a wrong time zone. */
const FARTHEST_ZONE_NS = nanoseconds(MOST_QUARTERS * QUARTER_S);

export interface CaseClocks {
  readonly estimates: readonly ClockEstimate[];
  /** Seconds between samples, by `event_id`, of the events read. */
  readonly floors: ReadonlyMap<number, number>;
  /** Up to 14 h around the window, on the case's clock. */
  readonly events: readonly EventFact[];
  /** Sources that have no time in common with any other. */
  readonly alone: ReadonlySet<number>;
}

/**
 * The clocks of a case's data sources, from the events around a window. Estimated once per case rather than per incident: more
 * events give better estimates.
 */
export async function readClocks(
  reader: Reader,
  graph: Pick<EntityGraph, 'below'>,
  [from_ns, to_ns]: readonly [bigint, bigint],
  mechanisms: Pick<Mechanisms, 'about'> = defaultMechanisms(),
): Promise<CaseClocks> {
  const sources = await reader.clockSources();
  const [from, to] = [from_ns - FARTHEST_ZONE_NS, to_ns + FARTHEST_ZONE_NS];
  const floors = new Map((await reader.samplingFloors(from, to)).map(({ event_id, floor_s }) => [event_id, floor_s]));
  const events = sources.length > 1 ? await reader.events(from, to) : [];
  const estimates = estimateClocks(events, graph, mechanisms, { sources, floors });
  return { estimates, floors, events, alone: sourcesAlone(sources) };
}
