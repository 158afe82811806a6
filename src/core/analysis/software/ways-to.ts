import type { Phases } from '../../store/facts/reader.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import type { CallPaths } from './call-paths.ts';
import type { Deviation, ServiceDeviation } from './deviation.ts';
import { movesWith, type SeriesField } from './moves-with.ts';
import { software } from './parameters.ts';

/** What was measured of services in two phases, and which of them record spans. */
export interface TracedFacts {
  readonly measurements: ReadonlyMap<number, Measurements>;
  readonly phases: Phases;
  /** By services that record spans. */
  readonly own: ReadonlyMap<number, unknown>;
}

/**
 * Services that are probably only the way to another one, with that one. A load balancer or a host name is measured by its
 * callers alone: no calls of its own and no spans are recorded. If it moves as an instrumented service does that the same callers
 * call, and degrades by as much, its requests go there: the recorded calls only lack the step.
 */
export function waysTo(
  facts: TracedFacts,
  deviations: ReadonlyMap<number, ServiceDeviation>,
  paths: CallPaths,
): ReadonlyMap<number, number> {
  const isOpaque = (service: number): boolean => paths.callees(service).length === 0 && !facts.own.has(service);
  const ways = new Map<number, number>();
  for (const one of deviations.values()) {
    if (!isOpaque(one.service) || !changeOf(one)) continue;
    const callers = paths.callers(one.service);
    const siblings = [...new Set(callers.flatMap((caller) => paths.callees(caller)))].flatMap((service) => {
      const other = deviations.get(service);
      if (!other || service === one.service || isOpaque(service) || paths.below(service).has(one.service)) return [];
      const likeness = sameMove(one, other, facts);
      return likeness === null ? [] : [{ service, likeness }];
    });
    const [best] = siblings.toSorted((a, b) => b.likeness - a.likeness || a.service - b.service);
    if (best) ways.set(one.service, best.service);
  }
  return ways;
}

interface Change {
  readonly field: SeriesField;
  /** Milliseconds that requests take longer, or requests that fail in addition, per second. */
  readonly by: number;
}

/** The strongest rise of a service. */
function changeOf({ latency, latencies, errors, throughput }: ServiceDeviation): Change | null {
  const rise = (deviation: Deviation): number => deviation.after - deviation.before;
  const slow = latency === null ? undefined : latencies[latency];
  if (slow && latency && slow.weight >= (errors?.weight ?? 0) && slow.weight >= software.notableOdds)
    return { field: latency, by: rise(slow) };
  if (!errors || errors.weight < software.notableOdds) return null;
  return { field: 'error_rate', by: rise(errors) * (throughput?.after ?? 1) };
}

/** Correlation of the strongest rise with the other's; null if the other's does not cover it or it moves differently. */
function sameMove(
  one: ServiceDeviation,
  other: ServiceDeviation,
  { measurements, phases }: TracedFacts,
): number | null {
  const [mine, theirs] = [changeOf(one), changeOf(other)];
  if (!mine || !theirs || (mine.field === 'error_rate') !== (theirs.field === 'error_rate')) return null;
  if (mine.by > software.sameRiseTimes * theirs.by) return null;
  const range = {
    from_ns: phases.before_from_ns < phases.window_from_ns ? phases.before_from_ns : phases.window_from_ns,
    to_ns: phases.before_to_ns > phases.window_to_ns ? phases.before_to_ns : phases.window_to_ns,
  };
  const [a, b] = [measurements.get(one.service), measurements.get(other.service)];
  const likeness = a && b ? movesWith([a, mine.field], [b, theirs.field], range) : Number.NaN;
  return likeness >= software.sameMove ? likeness : null;
}
