import type { LaneMetric } from '../../../model/contract/index.ts';
import { type Nanos, nanos } from '../../../model/time.ts';
import type { LaneEntry } from '../../draw/timeline/scene.ts';

/** Buckets of a lane, from `first` up to `end`, that may have new data. */
export interface Tail {
  readonly entry: LaneEntry & { readonly data: LaneMetric };
  readonly first: number;
  readonly end: number;
  readonly startNs: Nanos;
  readonly endNs: Nanos;
}

/** A longer share of the loaded data is reloaded in full. */
const LONGEST = 0.5;

/** The part of a metric to request, with data up to `fromNs` and a recording up to `untilNs`; null: request it in full. */
export function tailOf(entry: LaneEntry | undefined, fromNs: bigint, untilNs: bigint): Tail | null {
  if (entry?.data.kind !== 'metric') return null;
  const { startNs, bucketNs, data } = entry;
  const buckets = data.last.length;
  const bucketOf = (time: bigint): number => Number(time - startNs) / bucketNs;
  const first = Math.max(0, Math.floor(bucketOf(fromNs)));
  const end = Math.min(buckets, Math.ceil(bucketOf(untilNs)));
  if (end <= first || end - first > LONGEST * buckets) return null;
  const edge = (bucket: number): Nanos => nanos(startNs + BigInt(Math.round(bucket * bucketNs)));
  return { entry: { ...entry, data }, first, end, startNs: edge(first), endNs: edge(end) };
}

/** The lane with the new data of its tail. */
export function withTail({ entry: { data }, first, end }: Tail, tail: LaneMetric): LaneMetric {
  const joined = (of: 'min' | 'max' | 'last'): Float64Array<ArrayBuffer> => {
    const column = Float64Array.from(data[of]);
    column.set(tail[of].subarray(0, end - first), first);
    return column;
  };
  return { ...data, min: joined('min'), max: joined('max'), last: joined('last') };
}
