import { Malformed, WIRE, type WireReader } from '../bytes/protobuf-wire.ts';
import {
  bucketsDetail,
  type ExponentialBuckets,
  exponentialDetail,
  type Place,
} from '../series-meaning/distribution-detail.ts';
import { isStale, timeOf } from './sample.ts';

/** A native histogram at one instant. */
export interface NativeHistogram {
  readonly kind: 'histogram' | 'exponential_histogram';
  /** It holds what is there now: its counts may fall. */
  readonly isGauge: boolean;
  readonly time_ns: bigint;
  readonly start_ns: bigint;
  readonly count: number;
  readonly sum: number;
  /** As in the table `distribution`. */
  readonly detail: string;
}

/** More than any server keeps (160 by default): the bound of what one histogram may become here. */
const MOST_BUCKETS = 10_000;
/** Scales of native histograms, and the number that stands for explicit bounds. */
const [LOWEST_SCHEMA, HIGHEST_SCHEMA, CUSTOM_BOUNDS] = [-4, 8, -53];
const GAUGE = 3;

/** Buckets as written: runs of indices, and either counts or differences to the bucket before. */
interface Side {
  readonly spans: { readonly offset: number; readonly length: number }[];
  readonly deltas: number[];
  readonly counts: number[];
}
const side = (): Side => ({ spans: [], deltas: [], counts: [] });

/**
 * A message `Histogram`, the same in both versions of the protocol (sources: `WriteRequestReader`); undefined for the mark that the series
 * ended.
 * @throws Malformed
 */
export function readNativeHistogram(wire: WireReader, end: number): NativeHistogram | undefined {
  const start = wire.position;
  const [negative, positive] = [side(), side()];
  const bounds: number[] = [];
  let [count, sum, schema, threshold, zero, hint, time_ns, start_ns, ended] = [0, 0, 0, 0, 0, 0, 0n, 0n, false];
  while (wire.position < end) {
    const key = wire.key(end);
    const field = key >>> 3;
    if (field === 1 || field === 6) {
      wire.varint(end);
      const value = wire.high * 2 ** 32 + wire.low;
      if (field === 1) count = value;
      else zero = value;
    } else if (field === 2) count = wire.double(end);
    else if (field === 3) {
      ended = isStale(wire, end);
      sum = wire.double(end);
    } else if (field === 4) schema = zigzag(wire, end);
    else if (field === 5) threshold = wire.double(end);
    else if (field === 7) zero = wire.double(end);
    else if (field >= 8 && field <= 13) readSide(wire, key, end, field < 11 ? negative : positive);
    else if (field === 14) hint = wire.varint32(end);
    else if (field === 15) time_ns = timeOf(wire, end);
    else if (field === 16) repeated(wire, key, end, (stop) => keep(bounds, wire.double(stop), wire));
    else if (field === 17) start_ns = timeOf(wire, end);
    else wire.skip(key, end);
  }
  if (ended) return undefined;
  const isExplicit = schema === CUSTOM_BOUNDS;
  if (!isExplicit && !(schema >= LOWEST_SCHEMA && schema <= HIGHEST_SCHEMA))
    throw new Malformed(start, `a native histogram of schema ${schema}, which is not known`);
  const detail = isExplicit
    ? explicitOf(placed(positive, start), bounds, count)
    : exponentialDetail(schema, { count: zero, threshold }, placed(positive, start), placed(negative, start));
  const kind = isExplicit ? 'histogram' : 'exponential_histogram';
  return { kind, isGauge: hint === GAUGE, time_ns, start_ns, count, sum, detail };
}

function readSide(wire: WireReader, key: number, end: number, { spans, deltas, counts }: Side): void {
  const kind = ((key >>> 3) - 8) % 3;
  if (kind === 0) {
    const stop = wire.lengthEnd(end);
    const span = { offset: 0, length: 0 };
    while (wire.position < stop) {
      const inner = wire.key(stop);
      if (inner >>> 3 === 1) span.offset = zigzag(wire, stop);
      else if (inner >>> 3 === 2) span.length = wire.varint32(stop);
      else wire.skip(inner, stop);
    }
    keep(spans, span, wire);
  } else if (kind === 1) repeated(wire, key, end, (stop) => keep(deltas, zigzag(wire, stop), wire));
  else repeated(wire, key, end, (stop) => keep(counts, wire.double(stop), wire));
}

function keep<T>(list: T[], one: T, { position }: WireReader): void {
  if (list.length >= MOST_BUCKETS) throw new Malformed(position, `a native histogram of over ${MOST_BUCKETS} buckets`);
  list.push(one);
}

/** A repeated number, packed or not. */
export function repeated(wire: WireReader, key: number, end: number, one: (stop: number) => void): void {
  if ((key & 7) !== WIRE.bytes) return one(end);
  const stop = wire.lengthEnd(end);
  while (wire.position < stop) one(stop);
}

function zigzag(wire: WireReader, end: number): number {
  wire.varint(end);
  const { low, high } = wire;
  const half = Math.floor((high * 2 ** 32 + low) / 2);
  return low & 1 ? -half - 1 : half;
}

/** Counts by index. Bucket i covers (base^(i - 1), base^i] in Prometheus, (base^i, base^(i + 1)] in OpenTelemetry. */
function placed({ spans, deltas, counts }: Side, at: number): ExponentialBuckets {
  if (spans.length === 0 && counts.length + deltas.length === 0) return { offset: 0, counts: [] };
  const found: number[] = [];
  const first = spans[0]?.offset ?? 0;
  let index = 0;
  let next = 0;
  let running = 0;
  for (const [i, { offset, length }] of spans.entries()) {
    if (i > 0) index += offset;
    if (offset < 0 && i > 0) throw new Malformed(at, 'buckets of a native histogram that overlap');
    if (index + length > MOST_BUCKETS) throw new Malformed(at, `a native histogram of over ${MOST_BUCKETS} buckets`);
    while (found.length < index) found.push(0);
    for (let own = 0; own < length; own++, next++) {
      const value = counts.length > 0 ? counts[next] : deltas[next];
      if (value === undefined) throw new Malformed(at, 'a native histogram with fewer counts than buckets');
      running = counts.length > 0 ? value : running + value;
      found.push(running);
    }
    index += length;
  }
  if (next !== Math.max(counts.length, deltas.length))
    throw new Malformed(at, 'a native histogram with more counts than buckets');
  return { offset: first - 1, counts: found };
}

/** With bounds of its own the first bucket has index 0, and the last one, above all bounds, their number. */
function explicitOf({ offset, counts }: ExponentialBuckets, bounds: readonly number[], total: number): string {
  let below = 0;
  const places = bounds.map((bound, i): Place => {
    below += counts[i - (offset + 1)] ?? 0;
    return [bound, below];
  });
  return bucketsDetail(places, total);
}
