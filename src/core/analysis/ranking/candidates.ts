import { layers } from '../../../model/entity.ts';
import type { CorrelateOptions } from '../../../model/incident/incident.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { mayBeginFrom } from '../causality/lasting-events.ts';
import type { Mechanisms } from '../causality/mechanisms.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import type { EntityGraph, Relation } from '../topology/entity-graph.ts';

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
/** What follows is looked at this far on, seconds: effects that take their time, and causes that are told of when they are over. */
const AFTERWARDS = 300;

export const slowestOf = ({ lag }: CorrelateOptions): number => Math.max(lag, SLOWEST);

/** What happened since then happened shortly before the trouble, wherever in the doubt about its onset it began. */
export const shortlyBefore = ({ causes_from_ns }: ImpactWindow, options: CorrelateOptions): bigint =>
  causes_from_ns - bySeconds(slowestOf(options));

/**
 * The part of the recording in which causes of a window, and what they brought about, are looked for: back to the last
 * measurement, for what lasts.
 */
export const searchWindow = (window: ImpactWindow, options: CorrelateOptions): readonly [bigint, bigint] => [
  window.previous_ns - bySeconds(slowestOf(options)),
  window.onset_ns + bySeconds(Math.max(options.window, AFTERWARDS)),
];

/** Events around a window, in order of time. */
export interface Gathered {
  /** What may have caused it. */
  readonly candidates: readonly Candidate[];
  /** What came later: at most a consequence. */
  readonly followers: readonly Candidate[];
}

/**
 * Events within reach of a window, in order of time; on equal times the lower physical layer first, because power
 * moves before what it feeds. Events of other services' devices are left out, and exact repeats count once. Further
 * back than `options.lag` only those may have caused it whose consequences take so long, and after it those that are told late.
 */
export function gatherAround(
  window: ImpactWindow,
  { events, graph, mechanisms }: Around,
  options: CorrelateOptions,
): Gathered {
  const [from, to] = searchWindow(window, options);
  const latest = Math.max(options.window, LATEST);
  const seen = new Set<string>();
  const gathered: Candidate[] = [];
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
    gathered.push({ event, relation, lag_s });
  }
  const layer = ({ event }: Candidate) => layers.indexOf(graph.node(event.entity)?.layer ?? 'service');
  gathered.sort(
    (a, b) => compare(a.event.time_ns, b.event.time_ns) || layer(a) - layer(b) || a.event.event_id - b.event.event_id,
  );
  const mayCause = ({ event, lag_s }: Candidate) => -lag_s <= Math.max(latest, mechanisms.maxReportDelay_s(event.type));
  return { candidates: gathered.filter(mayCause), followers: gathered.filter((one) => !mayCause(one)) };
}

interface Around {
  readonly events: readonly EventFact[];
  readonly graph: EntityGraph;
  readonly mechanisms: Mechanisms;
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
