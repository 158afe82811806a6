import { median, spread } from '../statistics.ts';
import {
  type FleetDifference,
  type FleetMetric,
  isSampled,
  leastStep,
  sampledBuckets,
  startOfRun,
} from './fleet-metric.ts';
import { fleet } from './parameters.ts';
import { splitPeers } from './split-peers.ts';

/**
 * GPUs that differ, bucket by bucket, from GPUs of the same workload; and workloads whose GPUs all changed unlike the fleet,
 * because GPUs that are slowed together do not differ from each other; and halves of a workload that are slowed together.
 * @param peersOf indexes of GPUs with the same workload, including itself; one list per group
 * @returns largest and longest differences first
 */
export function fleetDifferences(
  metrics: readonly FleetMetric[],
  buckets: number,
  peersOf: (gpu: number) => readonly number[],
): FleetDifference[] {
  const found = metrics.flatMap((metric) => {
    const groups = [...Map.groupBy(metric.gpus.keys(), (row) => peersOf(metric.gpus[row]!)).values()];
    const found = [
      ...groups.flatMap((rows) => amongPeers(metric, rows, buckets)),
      ...(groups.length > 1 ? againstFleet(metric, groups, buckets) : []),
    ];
    const known = new Set(found.flatMap(({ gpus }) => gpus));
    const open = groups.filter((rows) => !rows.some((row) => known.has(metric.gpus[row]!)));
    return [...found, ...open.flatMap((rows) => splitPeers(metric, rows, buckets))];
  });
  const weight = ({ deviations, share }: FleetDifference): number => deviations * Math.sqrt(share);
  return found.sort((a, b) => weight(b) - weight(a) || a.gpus[0]! - b.gpus[0]!);
}

/**
 * GPUs that can be compared: with enough peers of the same workload, or together with them with the fleet, for enough buckets.
 * GPUs measured once, or without others at the same time, are excluded.
 */
export function comparedGpus(
  metrics: readonly FleetMetric[],
  buckets: number,
  peersOf: (gpu: number) => readonly number[],
): ReadonlySet<number> {
  const found = new Set<number>();
  for (const metric of metrics) {
    const groups = [...Map.groupBy(metric.gpus.keys(), (row) => peersOf(metric.gpus[row]!)).values()];
    const inFleet = groups.length > 1 ? bucketsWithEnough(metric, [...metric.gpus.keys()], buckets) : new Set<number>();
    for (const rows of groups) {
      const among = bucketsWithEnough(metric, rows, buckets);
      for (const row of rows) {
        const own = [...Array(buckets).keys()].filter((at) => isSampled(metric, row * buckets + at));
        const isCompared = (enough: ReadonlySet<number>) => own.filter((at) => enough.has(at)).length >= fleet.leastRun;
        if (isCompared(among) || isCompared(inFleet)) found.add(metric.gpus[row]!);
      }
    }
  }
  return found;
}

/** Buckets with enough measured rows. */
function bucketsWithEnough({ values }: FleetMetric, rows: readonly number[], buckets: number): ReadonlySet<number> {
  const measured = (at: number): number => rows.filter((row) => !Number.isNaN(values[row * buckets + at])).length;
  return new Set([...Array(buckets).keys()].filter((at) => measured(at) >= fleet.leastPeers));
}

function amongPeers(metric: FleetMetric, rows: readonly number[], buckets: number): FleetDifference[] {
  if (rows.length < fleet.leastPeers) return [];
  const crowd = crowdOf(metric, { rows, base: metric.typical.map(() => 0), buckets });
  return rows.flatMap((row) => {
    const curve = metric.values.subarray(row * buckets, (row + 1) * buckets);
    const difference = differs(metric, curve, crowd, sampledBuckets(metric, [row], buckets));
    const gpus = [metric.gpus[row]!];
    if (!difference || difference.share < fleet.peersShare) return [];
    return [{ ...difference, gpus, against: 'peers' as const, others: rows.length }];
  });
}

/** Median of the GPUs of each workload, relative to their typical values. */
function againstFleet(metric: FleetMetric, groups: readonly (readonly number[])[], buckets: number): FleetDifference[] {
  const all = [...metric.gpus.keys()];
  if (all.length < fleet.leastPeers) return [];
  const crowd = crowdOf(metric, { rows: all, base: metric.typical, buckets });
  return groups.flatMap((rows) => {
    const curve = crowdOf(metric, { rows, base: metric.typical, buckets }, 1).middle;
    const difference = differs(metric, curve, crowd, sampledBuckets(metric, rows, buckets));
    if (!difference || difference.share < fleet.fleetShare) return [];
    const typicalValue = median(rows.map((row) => metric.typical[row]!));
    const { value, typical } = difference;
    const gpus = rows.map((row) => metric.gpus[row]!);
    const measured = { value: typicalValue + value, typical: typicalValue + typical };
    return [{ ...difference, ...measured, gpus, against: 'fleet' as const, others: all.length }];
  });
}

/** Median of all rows per bucket, relative to their typical values; NaN if too few were recorded. */
interface Crowd {
  readonly middle: Float64Array;
  readonly spread: Float64Array;
}

interface Rows {
  readonly rows: readonly number[];
  readonly base: Float64Array;
  readonly buckets: number;
}

function crowdOf(
  { unit, values, typical: typicalValue }: FleetMetric,
  { rows, base, buckets }: Rows,
  fewest = fleet.leastPeers,
): Crowd {
  const crowd = { middle: new Float64Array(buckets), spread: new Float64Array(buckets) };
  const size = Math.abs(median(rows.map((row) => typicalValue[row]!)));
  const least = Math.max(size * fleet.leastRatioShare || 0, leastStep(unit), Number.MIN_VALUE);
  for (let at = 0; at < buckets; at++) {
    const own = rows.map((row) => values[row * buckets + at]! - base[row]!).filter((value) => !Number.isNaN(value));
    crowd.middle[at] = own.length < fewest ? Number.NaN : median(own);
    crowd.spread[at] = Math.max(spread(own), least / fleet.farDeviations);
  }
  return crowd;
}

interface Far {
  readonly at: number;
  readonly value: number;
  readonly typical: number;
  readonly deviations: number;
}

type Difference = Omit<FleetDifference, 'gpus' | 'against' | 'others'>;

/** A curve with the median of the others. */
function differs(
  { metric, unit }: FleetMetric,
  curve: Float64Array,
  crowd: Crowd,
  sampled: ReadonlySet<number>,
): Difference | null {
  const far: Far[] = [];
  let compared = 0;
  for (const [at, value] of curve.entries()) {
    const typical = crowd.middle[at]!;
    if (Number.isNaN(value) || Number.isNaN(typical)) continue;
    compared++;
    const deviations = (value - typical) / crowd.spread[at]!;
    if (Math.abs(deviations) >= fleet.farDeviations) far.push({ at, value, typical, deviations });
  }
  // Above or below, by majority.
  const above = far.filter(({ deviations }) => deviations > 0);
  const side = above.length * 2 >= far.length ? above : far.filter(({ deviations }) => deviations < 0);
  const share = side.length / Math.max(1, compared);
  const first = startOfRun(
    side.map(({ at }) => at),
    sampled,
  );
  if (first === null) return null;
  return {
    metric,
    unit,
    value: median(side.map(({ value }) => value)),
    typical: median(side.map(({ typical }) => typical)),
    share,
    first,
    deviations: Math.abs(median(side.map(({ deviations }) => deviations))),
  };
}
