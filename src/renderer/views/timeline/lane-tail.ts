import type { LaneMetric } from '../../../model/contract/index.ts';
import { type Nanos, nanos } from '../../../model/time.ts';
import type { LaneEntry } from '../../draw/timeline/scene.ts';

/** The buckets of a lane, `first` up to `end`, in which something new may have come. */
export interface Tail {
  readonly entry: LaneEntry & { readonly data: LaneMetric };
  readonly first: number;
  readonly end: number;
  readonly startNs: Nanos;
  readonly endNs: Nanos;
}

/** A tail longer than this part of what is there is no tail. */
const LONGEST = 0.5;

/**
 * What has to be asked of a metric that is there up to `fromNs`, where the recording reaches `untilNs` now; null: it has to
 * be asked as a whole.
 */
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

/** The whole lane, with what its tail holds now. */
export function withTail({ entry: { data }, first, end }: Tail, tail: LaneMetric): LaneMetric {
  const joined = (of: 'min' | 'max' | 'last'): Float64Array<ArrayBuffer> => {
    const column = Float64Array.from(data[of]);
    column.set(tail[of].subarray(0, end - first), first);
    return column;
  };
  return { ...data, min: joined('min'), max: joined('max'), last: joined('last') };
}
