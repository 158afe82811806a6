import { isQualified } from '../../../model/telemetry/event-details.ts';
import { nanos, nanoseconds, secondsBetween } from '../../../model/time.ts';
import type { CallFact, EventFact } from '../../store/facts/reader.ts';
import { eventRef, weighedLine } from '../evidence/kind.ts';
import { restarted } from '../evidence/software.ts';
import { isOfProcess, isOwnLimit } from '../ranking/memory-limits.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { software } from './parameters.ts';
import { type Finding, finding } from './suspect.ts';

/** A service of which something started again, or was replaced, shortly before an onset. */
export interface Restart {
  readonly service: number;
  readonly event: EventFact;
  /** Time before the onset, seconds; negative: after, within the clock errors. */
  readonly before_s: number;
  /** Log-odds, natural, against a start by chance so near to the onset. */
  readonly odds: number;
}

/** A container that is ended at its own memory limit is started again: its service is away meanwhile. */
const isStart = (event: EventFact): boolean =>
  event.type === 'pod_started' ||
  event.type === 'process_started' ||
  isQualified(event, 'rollout') ||
  isOwnLimit(event);

/**
 * Starts of software shortly before an onset, one per service: the least likely, of equal ones the last. The rarer starts are in the recording, the less
 * likely is one beside the onset by chance.
 * @param events around the onset, in order of time
 */
export function restartsBefore(events: readonly EventFact[], onset_ns: bigint, graph: EntityGraph): Restart[] {
  const starts = events.filter((event) => isStart(event) && servicesOf(event, graph).length > 0);
  const gapOf = (event: EventFact): number => secondsBetween(nanos(event.time_ns), nanos(onset_ns));
  const isNear = (event: EventFact): boolean =>
    gapOf(event) <= software.restartSeconds && gapOf(event) >= -software.restartLateSeconds;
  const near = starts.filter(isNear);
  const [first, last] = [events[0], events.at(-1)];
  if (near.length === 0 || !first || !last) return [];
  const recorded_s = Math.max(
    software.leastRestartRecordSeconds,
    secondsBetween(nanos(first.time_ns), nanos(last.time_ns)),
  );
  const others = new Set(
    starts.filter((event) => !isNear(event)).map(({ entity, time_ns }) => `${entity} ${time_ns / nanoseconds(60)}`),
  );
  const perSecond = (others.size + 0.5) / recorded_s;
  const found = near.flatMap((event): Restart[] => {
    const before_s = gapOf(event);
    const expected = perSecond * Math.max(software.restartNearSeconds, before_s);
    // One limit that is reached again and again is no habit.
    const byChance = isOwnLimit(event) ? Number.POSITIVE_INFINITY : -Math.log(-Math.expm1(-expected));
    const odds = Math.min(software.mostRestartOdds, byChance);
    return servicesOf(event, graph).map((service) => ({ service, event, before_s, odds }));
  });
  const byOdds = found.toSorted((a, b) => a.odds - b.odds);
  return [...new Map(byOdds.map((one) => [one.service, one])).values()];
}

/** What a kernel ended is named by its line; a machine carries other services too. */
function servicesOf({ entity, message }: EventFact, graph: EntityGraph): readonly number[] {
  if (graph.node(entity)?.kind === 'service') return [entity];
  const carried = [...graph.servicesOn(entity)];
  return graph.isSoftware(entity) ? carried : carried.filter((one) => isOfProcess(message, graph.node(one)?.id ?? '?'));
}

export const restartFindings = (restarts: readonly Restart[], nameOf: (service: number) => string): Finding[] =>
  restarts.map(({ service, event, before_s, odds }) =>
    finding({
      key: service,
      type: 'service_restarted',
      layer: 'start',
      evidence: [
        weighedLine(
          restarted,
          odds,
          {
            service: nameOf(service),
            on: event.device_id,
            message: event.message,
            before_s,
            atLimit: isOwnLimit(event),
          },
          [eventRef(event)],
        ),
      ],
    }),
  );

/**
 * Services that a restart may have made worse, though the restarted one answers as before: those that call it, and those that its
 * callers turn to instead, such as the store behind a cache that is empty.
 */
export function reachOfRestarts(
  restarts: readonly Restart[],
  calls: readonly CallFact[],
): ReadonlyMap<number, Restart> {
  const reached = new Map<number, Restart>();
  for (const restart of restarts.toSorted((a, b) => a.odds - b.odds)) {
    const callers = new Set(calls.filter(({ callee }) => callee === restart.service).map(({ caller }) => caller));
    for (const { caller, callee } of calls)
      if (callers.has(caller)) {
        reached.set(caller, restart);
        if (callee !== restart.service) reached.set(callee, restart);
      }
  }
  return reached;
}

/** Share of the change of a service in its reach that a restart explains, 0 to 1. */
export const shareExplained = ({ odds }: Restart): number => software.restartReachShare * -Math.expm1(-odds);

/** Where a degradation begins, if what restarts explain of a service is taken to begin in the one that started again. */
export function movedToRestarts(
  begins: ReadonlyMap<number, number>,
  reached: ReadonlyMap<number, Restart>,
): ReadonlyMap<number, number> {
  const moved = new Map(begins);
  for (const [service, share] of begins) {
    const restart = reached.get(service);
    if (!restart || restart.service === service) continue;
    const part = share * shareExplained(restart);
    moved.set(service, (moved.get(service) ?? 0) - part);
    moved.set(restart.service, (moved.get(restart.service) ?? 0) + part);
  }
  return moved;
}
