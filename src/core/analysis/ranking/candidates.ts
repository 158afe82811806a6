import { layers } from '../../../model/entity.ts';
import type { CorrelateOptions } from '../../../model/incident/incident.ts';
import { ofSoftwareAlone } from '../../../model/telemetry/event-catalog.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { mayBeginFrom } from '../causality/lasting-events.ts';
import type { Mechanisms } from '../causality/mechanisms.ts';
import type { TimeDoubts } from '../clocks/time-doubts.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { failedAfterOthers } from './first-failure.ts';
import type { ImpactRelation } from './impacted-services.ts';
import { ranking } from './parameters.ts';

/** An event that may be related to an impact. */
export interface Candidate {
  readonly event: EventFact;
  readonly relation: Exclude<ImpactRelation, 'other'>;
  /** Seconds from the event to the first anomaly; negative when it came after. */
  readonly lag_s: number;
}

export const slowestOf = ({ lag }: CorrelateOptions): number => Math.max(lag, ranking.slowestSeconds);

/** Events from this time on are shortly before the impact, anywhere in the uncertainty of its onset. */
export const shortlyBefore = ({ causes_from_ns }: ImpactWindow, options: CorrelateOptions): bigint =>
  causes_from_ns - nanoseconds(slowestOf(options));

/**
 * Time range that is searched for causes of a window and their effects. It begins at the last normal measurement, because a
 * lasting fault may be that old.
 */
export const searchWindow = (window: ImpactWindow, options: CorrelateOptions): readonly [bigint, bigint] => [
  window.previous_ns - nanoseconds(slowestOf(options)),
  window.onset_ns + nanoseconds(Math.max(options.window, ranking.afterwardsSeconds)),
];

/** Events around a window, in order of time. */
export interface Gathered {
  /** Possible causes. */
  readonly candidates: readonly Candidate[];
  /** Later events: effects at most. */
  readonly followers: readonly Candidate[];
}

/**
 * Events within reach of a window, in order of time; on equal times the lower physical layer first, because power
 * changes before the devices that it feeds. Events of other services' devices are left out, and exact repeats count once. Further
 * back than `options.lag` only slow causes are candidates, and after it only those that are reported late.
 */
export function gatherAround(
  window: ImpactWindow,
  { events, graph, mechanisms, doubts, relationOf }: Around,
  options: CorrelateOptions,
): Gathered {
  const [from, to] = searchWindow(window, options);
  const latest = Math.max(options.window, ranking.latestSeconds);
  const seen = new Set<string>();
  const gathered: Candidate[] = [];
  const followers = failedAfterOthers(events, graph);
  for (const event of events) {
    if (ofSoftwareAlone.has(event.type) || followers.has(event)) continue;
    if (event.time_ns < from || event.time_ns - nanoseconds(doubts.seenLate_s(event)) > to) continue;
    const lag_s = Number(window.onset_ns - event.time_ns) / 1e9;
    // The impact may have begun right after the last normal measurement.
    const before_s = Number(mayBeginFrom(event, window) - event.time_ns) / 1e9;
    if (before_s > options.lag && mechanisms.reachOf(event.type) < before_s) continue;
    const relation = relationOf(event.entity);
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
  const mayCause = ({ event, lag_s }: Candidate) =>
    -lag_s <= Math.max(latest, mechanisms.maxReportDelay_s(event.type), doubts.seenLate_s(event));
  return { candidates: gathered.filter(mayCause), followers: gathered.filter((one) => !mayCause(one)) };
}

interface Around {
  readonly events: readonly EventFact[];
  readonly graph: EntityGraph;
  readonly mechanisms: Mechanisms;
  readonly doubts: TimeDoubts;
  readonly relationOf: (entity: number) => ImpactRelation;
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
