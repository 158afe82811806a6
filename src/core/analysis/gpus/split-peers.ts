import { median, spread } from '../statistics.ts';
import { type FleetDifference, type FleetMetric, leastStep, sampledBuckets, startOfRun } from './fleet-metric.ts';
import { fleet } from './parameters.ts';

/** GPUs that changed together in one bucket, and how far both sides are from their typical values. */
interface Split {
  readonly at: number;
  readonly changed: readonly number[];
  readonly change: number;
  readonly rest: number;
  readonly deviations: number;
}

/**
 * A workload that falls into two parts, of which one is further from its own typical value: half of its GPUs are slowed. The
 * median of all then lies between the parts, and none differs from it. Only clocks: load divides power and utilization as well.
 */
export function splitPeers(metric: FleetMetric, rows: readonly number[], buckets: number): FleetDifference[] {
  if (metric.unit !== 'MHz' || rows.length < 2 * fleet.leastPeers) return [];
  const splits = [...Array(buckets).keys()].flatMap((at) => splitAt(metric, rows, { at, buckets }) ?? []);
  const [own = []] = [...Map.groupBy(splits, ({ changed }) => changed.join()).values()].toSorted(
    (a, b) => b.length - a.length,
  );
  const share = own.length / buckets;
  const first = startOfRun(
    own.map(({ at }) => at),
    sampledBuckets(metric, own[0]?.changed ?? [], buckets),
    fleet.leastSplitRun,
  );
  if (first === null || share < fleet.peersShare) return [];
  const changed = own[0]!.changed;
  const usual = median(changed.map((row) => metric.typical[row]!));
  return [
    {
      gpus: changed.map((row) => metric.gpus[row]!),
      against: 'fleet',
      metric: metric.metric,
      unit: metric.unit,
      value: usual + median(own.map(({ change }) => change)),
      typical: usual + median(own.map(({ rest }) => rest)),
      share,
      first,
      others: rows.length,
      deviations: median(own.map(({ deviations }) => deviations)),
    },
  ];
}

/** The widest gap between enough GPUs on both sides; null if the parts are not clearly apart. */
function splitAt(
  { values, typical, unit }: FleetMetric,
  rows: readonly number[],
  { at, buckets }: { readonly at: number; readonly buckets: number },
): Split | null {
  const changes = rows
    .map((row) => ({ row, change: values[row * buckets + at]! - typical[row]! }))
    .filter(({ change }) => !Number.isNaN(change))
    .sort((a, b) => a.change - b.change);
  let [cut, gap] = [0, 0];
  for (let i = fleet.leastPeers; i <= changes.length - fleet.leastPeers; i++) {
    const width = changes[i]!.change - changes[i - 1]!.change;
    if (width > gap) [cut, gap] = [i, width];
  }
  if (cut === 0) return null;
  const [below, above] = [partOf(changes.slice(0, cut)), partOf(changes.slice(cut))];
  const [rest, changed] = Math.abs(below.middle) < Math.abs(above.middle) ? [below, above] : [above, below];
  const usual = Math.abs(median(rows.map((row) => typical[row]!)));
  const least = Math.max(usual * fleet.leastRatioShare, leastStep(unit));
  const unitOfDistance = Math.max(rest.spread, changed.spread, least / fleet.farDeviations);
  if (gap < fleet.farDeviations * unitOfDistance) return null;
  const deviations = Math.abs(changed.middle - rest.middle) / unitOfDistance;
  return { at, changed: changed.rows, change: changed.middle, rest: rest.middle, deviations };
}

const partOf = (changes: readonly { readonly row: number; readonly change: number }[]) => ({
  rows: changes.map(({ row }) => row).sort((a, b) => a - b),
  middle: median(changes.map(({ change }) => change)),
  spread: spread(changes.map(({ change }) => change)),
});
