import { layers } from '../../model/entity.ts';
import type { CorrelateOptions } from '../../model/incident.ts';
import type { EventFact } from '../store/reader.ts';
import type { EntityGraph, Relation } from './entity-graph.ts';
import type { ImpactWindow } from './impact.ts';
import type { Mechanisms } from './mechanisms.ts';
import { mayBeginFrom } from './outlived.ts';

/** An event that may have to do with an impact. */
export interface Candidate {
  readonly event: EventFact;
  readonly relation: Exclude<Relation, 'other'>;
  /** Seconds from the event to the first anomaly; negative when it came after. */
  readonly lag_s: number;
}

const bySeconds = (seconds: number): bigint => BigInt(Math.round(seconds * 1e9));

/** Slow causes, such as cooling, are looked for this far back, seconds; polled things are told this much late. */
const SLOWEST = 900;
const LATEST = 45;

export const slowestOf = ({ lag }: CorrelateOptions): number => Math.max(lag, SLOWEST);

/** What happened since then happened shortly before the trouble, wherever in the doubt about its onset it began. */
export const shortlyBefore = ({ causes_from_ns }: ImpactWindow, options: CorrelateOptions): bigint =>
  causes_from_ns - bySeconds(slowestOf(options));

/** The part of the recording in which causes of a window are looked for: back to the last measurement, for what lasts. */
export const lookBack = (window: ImpactWindow, options: CorrelateOptions): readonly [bigint, bigint] => [
  window.previous_ns - bySeconds(slowestOf(options)),
  window.onset_ns + bySeconds(Math.max(options.window, LATEST)),
];

/**
 * Events within reach of a window, in order of time; on equal times the lower physical layer first, because power
 * moves before what it feeds. Events of other services' devices are left out, and exact repeats count once. Further
 * back than `options.lag` only those count whose consequences may take so long.
 */
export function findCandidates(
  window: ImpactWindow,
  { events, graph, mechanisms }: Around,
  options: CorrelateOptions,
): Candidate[] {
  const [from, to] = lookBack(window, options);
  const seen = new Set<string>();
  const candidates: Candidate[] = [];
  for (const event of events) {
    if (event.time_ns < from || event.time_ns > to) continue;
    const lag_s = Number(window.onset_ns - event.time_ns) / 1e9;
    // The trouble may have begun right after the last normal measurement.
    const before_s = Number(mayBeginFrom(event, window) - event.time_ns) / 1e9;
    if (before_s > options.lag && mechanisms.reachOf(event.type) < before_s) continue;
    const relation = graph.relation(event.entity, window.service);
    if (relation === 'other') continue;
    const repeat = `${event.time_ns} ${event.type} ${event.entity} ${event.device_id} ${event.message}`;
    if (seen.has(repeat)) continue;
    seen.add(repeat);
    candidates.push({ event, relation, lag_s });
  }
  const layer = ({ event }: Candidate) => layers.indexOf(graph.node(event.entity)?.layer ?? 'service');
  return candidates.sort(
    (a, b) => compare(a.event.time_ns, b.event.time_ns) || layer(a) - layer(b) || a.event.event_id - b.event.event_id,
  );
}

interface Around {
  readonly events: readonly EventFact[];
  readonly graph: EntityGraph;
  readonly mechanisms: Mechanisms;
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
