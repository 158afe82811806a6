import { formatUtc, nanos } from '../../../model/time.ts';
import type { FoundImpacts } from '../impact/impact.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import type { Warning } from './warning.ts';

/** Services, of those that were chosen, of which too little was measured. */
export function measurementWarnings(
  measurements: ReadonlyMap<number, Measurements>,
  names: ReadonlyMap<number, string>,
  chosen: ReadonlySet<number>,
): Warning[] {
  if (measurements.size === 0) return [{ kind: 'no_measured_service' }];
  return [...measurements.values()]
    .filter(({ service, from, time_ns }) => chosen.has(service) && time_ns.length < 2 && from !== 'collectives')
    .map((measured) => ({
      kind: 'few_measurements',
      service: names.get(measured.service) ?? '?',
      measurements: measured.time_ns.length,
    }));
}

/** Services, of those that were chosen, that are slow at some hour of most days: no incident is made of it, and that is stated. */
export const usualHourWarnings = (
  found: readonly FoundImpacts[],
  names: ReadonlyMap<number, string>,
  chosen: ReadonlySet<number>,
): Warning[] =>
  found.flatMap(({ usual }): Warning[] => {
    const last = usual.at(-1);
    if (!last || !chosen.has(last.service)) return [];
    const service = names.get(last.service) ?? '?';
    return [{ kind: 'usual_hour', service, times: usual.length, last: formatUtc(nanos(last.onset_ns)) }];
  });
