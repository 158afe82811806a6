import { nanoseconds } from '../../../model/time.ts';
import type { EventFact, Reader } from '../../store/facts/reader.ts';
import { defaultMechanisms, type Mechanisms } from '../causality/mechanisms.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import type { ClockEstimate, FileClock } from './clock-estimate.ts';
import { estimateClocks } from './estimate-clocks.ts';
import { clocks as limits } from './parameters.ts';
import { Reporters } from './reporters.ts';
import { MOST_QUARTERS, QUARTER_S } from './shift-votes.ts';
import { sourcesAlone } from './zone-hint.ts';

/** Maximum distance of the events of a window in a data source with a wrong time zone. */
const FARTHEST_ZONE_NS = nanoseconds(MOST_QUARTERS * QUARTER_S);

export interface CaseClocks {
  readonly estimates: readonly FileClock[];
  /** Seconds between samples, by `event_id`, of the events read. */
  readonly floors: ReadonlyMap<number, number>;
  /** Up to 14 h around the window, on the case's clock, with the numbers of their clocks. */
  readonly events: readonly EventFact[];
  /** Sources that have no time in common with any other. */
  readonly alone: ReadonlySet<number>;
  readonly reporters: Reporters;
}

/**
 * The clocks of a case's data sources and reporters, from the events around a window. Estimated once per case rather than per incident: more
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
  const recorded = await reader.events(from, to);
  const estimatesOf = ({ clocks }: Reporters, events: readonly EventFact[]) =>
    estimateClocks(events, graph, mechanisms, { sources: clocks, floors });
  const each = new Reporters(sources, recorded);
  const doubtful = each.areSeveral ? estimatesOf(each, each.byClock(recorded)).filter(isDoubtful) : [];
  const reporters = each.apart(new Set(doubtful.map(({ source_id }) => source_id)));
  const { clocks } = reporters;
  const events = clocks.length > 1 ? reporters.byClock(recorded) : [];
  const files = new Map(clocks.map(({ source_id, file_id }) => [source_id, file_id]));
  const estimates = estimatesOf(reporters, events).map((estimate) => ({
    ...estimate,
    file_id: files.get(estimate.source_id) ?? estimate.source_id,
  }));
  return { estimates, floors, events, reporters, alone: sourcesAlone(clocks) };
}

/** A shift was found, or linked pairs suggest one. */
const isDoubtful = ({ method, error, perhaps, uncertainty_ns }: ClockEstimate): boolean =>
  error === 'shift' ||
  error === 'zone' ||
  perhaps !== null ||
  (method === 'unknown' && uncertainty_ns > nanoseconds(limits.unstatedSeconds));
