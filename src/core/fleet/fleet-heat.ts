import type { TimeWindow } from '../../model/storage/archive.ts';
import type { Measurements } from '../analysis/impact/measurement-table.ts';
import { medianInterval } from '../analysis/impact/onset.ts';
import type { FleetImpact, MeasuredImpacts } from './fleet-impacts.ts';
import { timesWorseThan } from './times-worse.ts';

/** Impacts of a fleet over a time as a matrix: a row a service, a column an equal part of the time. */
export interface FleetHeat {
  /** Services, the one with the worst impact first; then those without one, by name. */
  readonly rows: readonly string[];
  /**
   * Row by row: how many times worse than its own baseline the service did in an impact, 1 outside of impacts, NaN where
   * it was not measured.
   */
  readonly values: Float64Array<ArrayBuffer>;
}

/** @param most rows; the impacts of further services are in the list of impacts alone */
export function fleetHeat(
  { impacts, windows, measurements, names }: MeasuredImpacts,
  window: TimeWindow,
  { buckets, most }: { readonly buckets: number; readonly most: number },
): FleetHeat {
  const rows = worstFirst(impacts, names).slice(0, most);
  const intervals = new Map<Measurements, number>();
  const intervalOf = (measured: Measurements): number => {
    // An interval after a gap is as long as the others.
    const known = intervals.get(measured) ?? (measured.time_ns.length > 1 ? medianInterval(measured.time_ns) * 1e9 : 0);
    intervals.set(measured, known);
    return known;
  };
  const placeOf = new Map(rows.map((name, place) => [name, place]));
  const values = new Float64Array(rows.length * buckets).fill(Number.NaN);
  const fill = (measured: Measurements, i: number, value: number): void => {
    const place = placeOf.get(names[measured.service] ?? '');
    if (place === undefined) return;
    const [first, last] = columnsOf(measured.time_ns[i]!, intervalOf(measured), window, buckets);
    for (let at = first; at <= last; at++) {
      const cell = place * buckets + at;
      // Of several measurements in one part of the time, the worst.
      values[cell] = Math.max(Number.isNaN(values[cell]) ? 1 : values[cell]!, value);
    }
  };
  for (const measured of measurements) for (let i = 0; i < measured.time_ns.length; i++) fill(measured, i, 1);
  for (const { measurements: measured, baseline, first, last } of windows)
    for (let i = first; i <= last; i++) {
      const [p99, throughput] = [measured.p99[i]!, measured.throughput[i]!];
      fill(measured, i, timesWorseThan(baseline, { p99, throughput, error_rate: measured.error_rate[i]! }));
    }
  return { rows, values };
}

function worstFirst(impacts: readonly FleetImpact[], names: readonly string[]): string[] {
  const harmed = new Set(impacts.map(({ service }) => service));
  return [...harmed, ...names.filter((name) => !harmed.has(name))];
}

/** First and last column of a measurement, which is about the interval that ends at its time. */
function columnsOf(
  time_ns: bigint,
  interval_ns: number,
  { from_ns, until_ns }: TimeWindow,
  buckets: number,
): readonly [number, number] {
  const end = Number(time_ns - from_ns);
  const length = Number(until_ns - from_ns);
  const column = (at: number): number => Math.min(buckets - 1, Math.max(0, Math.floor((at / length) * buckets)));
  return [column(end - interval_ns), column(end - 1)];
}
