import { shortList } from '../../../model/incident/chain-folds.ts';
import type { CorrelateOptions } from '../../../model/incident/incident.ts';
import { fail } from '../../../model/problem.ts';
import { type Nanos, nanoseconds, parseTime } from '../../../model/time.ts';
import { worstTime } from '../software/worst-time.ts';
import { type ImpactWindow, statedImpact } from './impact.ts';
import type { Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';

/**
 * Services whose impacts are wanted.
 * @throws ProblemError service.unknown
 */
export function selectImpacts(
  measurements: ReadonlyMap<number, Measurements>,
  names: ReadonlyMap<number, string>,
  options: CorrelateOptions,
): Set<number> {
  if (options.service === null) return new Set(measurements.keys());
  const found = [...measurements.keys()].filter((key) => names.get(key) === options.service);
  if (found.length > 0) return new Set(found);
  const services = [...measurements.keys()].map((key) => names.get(key)).sort();
  return fail('service.unknown', `no measurements of a service "${options.service}"`, {
    hint:
      services.length > 0
        ? `there are: ${shortList(services.map((name) => name ?? '?'))}`
        : 'the case holds no service metrics and no spans',
  });
}

/** Whether an impact was at a time, or shortly before or after. */
export function covers({ onset_earliest_ns, end_ns }: ImpactWindow, at: string | null): boolean {
  if (at === null) return true;
  const time: Nanos = parseTime(at);
  const tolerance = nanoseconds(impact.memorySeconds);
  return time >= onset_earliest_ns - tolerance && time <= end_ns + tolerance;
}

/** A specified service is analysed even without an anomaly: at the specified time, else where it did worst. */
export function stated(
  measurements: ReadonlyMap<number, Measurements>,
  selectedImpacts: ReadonlySet<number>,
  options: CorrelateOptions,
): ImpactWindow[] {
  if (options.service === null) return [];
  return [...measurements.values()].flatMap((measured) => {
    if (!selectedImpacts.has(measured.service)) return [];
    const at = options.at === null ? worstTime(measured) : parseTime(options.at);
    const window = at === null ? undefined : statedImpact(measured, at, options);
    return window ? [window] : [];
  });
}

/** In time order; with equal onset the most severe first. */
export function byOnset(a: ImpactWindow, b: ImpactWindow): number {
  if (a.onset_ns !== b.onset_ns) return a.onset_ns < b.onset_ns ? -1 : 1;
  return (b.times_worse || 0) - (a.times_worse || 0) || a.service - b.service;
}
