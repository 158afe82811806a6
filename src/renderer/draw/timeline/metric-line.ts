import type { LaneMetric } from '../../../model/contract/index.ts';
import type { PixelColors, PixelLayer } from '../canvas/pixel-layer.ts';

/** Properties of the line that are computed once per response. */
export interface MetricShape {
  readonly low: number;
  readonly high: number;
  /** Distance between samples, in buckets, beyond which the line has a gap. */
  readonly gapBuckets: number;
}

const GAP_FACTOR = 2.5;

export function measureMetric(data: LaneMetric): MetricShape {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const distances = new Int32Array(data.last.length);
  let count = 0;
  let before = -1;
  for (let at = 0; at < data.last.length; at++) {
    if (Number.isNaN(data.last[at])) continue;
    low = Math.min(low, data.min[at]!);
    high = Math.max(high, data.max[at]!);
    if (before >= 0) distances[count++] = at - before;
    before = at;
  }
  // Typed-array sort compares numbers: a comparator for 16 lanes took 5 ms per frame, this half of one.
  const typical = count > 0 ? distances.subarray(0, count).sort()[count >> 1]! : 1;
  return { low, high, gapBuckets: Math.max(2, Math.ceil(typical * GAP_FACTOR)) };
}

/** Value range of a lane: from zero if the data comes near it, so that small ripples stay small. */
export function niceRange(low: number, high: number): readonly [number, number] {
  if (!(low <= high)) return [0, 1];
  const span = high - low;
  const flat = Math.max(Math.abs(high), 1) * 0.02;
  if (span < flat) return [low - flat, high + flat];
  const bottom = low >= 0 && low < span * 0.6 ? 0 : low - span * 0.06;
  return [bottom, high + span * 0.06];
}

export interface MetricRect {
  readonly y: number;
  readonly height: number;
  readonly width: number;
  readonly pixelRatio: number;
  /** x of the first bucket's left edge. */
  readonly originX: number;
  readonly bucketPx: number;
  readonly bottom: number;
  readonly top: number;
  readonly gapBuckets: number;
  /** Outages of the feed, in buckets and in order: the line does not cross them. */
  readonly breaks: readonly { readonly from: number; readonly until: number }[];
}

const MARGIN = 3;

/** First visible bucket, and one past the last. */
export function visibleBuckets(rect: MetricRect, length: number): readonly [number, number] {
  const first = Math.max(0, Math.floor(-rect.originX / rect.bucketPx) - rect.gapBuckets);
  const end = Math.min(length, Math.ceil((rect.width - rect.originX) / rect.bucketPx) + rect.gapBuckets);
  return [first, end];
}

/** Draws the range of each bucket, and over it a line that continues each value until the next. */
export function drawMetric(layer: PixelLayer, data: LaneMetric, box: MetricRect, colors: PixelColors): void {
  const [first, end] = visibleBuckets(box, data.last.length);
  drawBand(layer, data, box, { first, end, color: colors.band });
  drawLine(layer, data, box, { first, end, color: colors.line });
}

interface Visible {
  readonly first: number;
  readonly end: number;
  readonly color: number;
}

/** Device row of a value is `base - value * rise`, computed once per lane. */
const riseOf = (box: MetricRect): number => ((box.height - 2 * MARGIN) / (box.top - box.bottom)) * box.pixelRatio;
const baseOf = (box: MetricRect): number => (box.y + box.height - MARGIN) * box.pixelRatio + box.bottom * riseOf(box);
/** What is beyond an axis that was set runs along its edge, within the lane. */
const within = (row: number, { y, height, pixelRatio }: MetricRect): number =>
  Math.min(Math.max(row, (y + 1) * pixelRatio), (y + height - 2) * pixelRatio);

/** From minimum to maximum per device column; buckets in the same column paint it once. */
function drawBand(layer: PixelLayer, data: LaneMetric, box: MetricRect, { first, end, color }: Visible): void {
  const { min, max } = data;
  const step = box.bucketPx * box.pixelRatio;
  const origin = box.originX * box.pixelRatio;
  const thick = Math.max(1, Math.round(box.pixelRatio));
  const rise = riseOf(box);
  const base = baseOf(box) + 0.5;
  let at = first;
  while (at < end) {
    const left = Math.floor(origin + at * step);
    let right = left;
    let least = Number.POSITIVE_INFINITY;
    let greatest = Number.NEGATIVE_INFINITY;
    for (; at < end && right <= left; at++) {
      const low = min[at]!;
      const high = max[at]!;
      right = Math.floor(origin + (at + 1) * step);
      if (!(high > low)) continue;
      if (low < least) least = low;
      if (high > greatest) greatest = high;
    }
    if (!(greatest > least)) continue;
    const bottom = Math.floor(within(base - least * rise, box)) + thick;
    layer.fill(left, Math.floor(within(base - greatest * rise, box)), Math.max(left + 1, right), bottom, color);
  }
}

/**
 * Between two samples the line continues the last value instead of suggesting a slope. It stops at gaps, and a single
 * sample is a dot.
 */
function drawLine(layer: PixelLayer, data: LaneMetric, box: MetricRect, { first, end, color }: Visible): void {
  const { last } = data;
  const { gapBuckets, breaks } = box;
  const step = box.bucketPx * box.pixelRatio;
  const origin = (box.originX + box.bucketPx / 2) * box.pixelRatio;
  const thick = Math.max(1, Math.round(box.pixelRatio));
  const rise = riseOf(box);
  const base = baseOf(box) + 0.5;
  let before = -1e9;
  let alone = false;
  let penX = 0;
  let penY = 0;
  let broken = 0;
  const isSparse = samplePxOf(box) >= SPARSE_PX;
  for (let at = first; at < end; at++) {
    const value = last[at]!;
    if (Number.isNaN(value)) continue;
    // A break that ends within the bucket of a sample ends at the sample.
    while ((breaks[broken]?.until ?? Number.POSITIVE_INFINITY) < before + 1) broken++;
    const x = Math.floor(origin + at * step);
    const y = Math.floor(within(base - value * rise, box));
    const isApart = (breaks[broken]?.from ?? Number.POSITIVE_INFINITY) < at;
    const joined = at - before <= gapBuckets && !isApart;
    if (!joined && alone) layer.fill(penX, penY, penX + 2 * thick, penY + 2 * thick, color);
    else if (joined && y === penY) layer.fill(penX, y, x + thick, y + thick, color);
    else if (joined) {
      layer.fill(penX, penY, x, penY + thick, color);
      layer.fill(x, Math.min(y, penY), x + thick, Math.max(y, penY) + thick, color);
    }
    if (isSparse && joined) drawDot(layer, x, y, thick, color);
    alone = !joined;
    before = at;
    penX = x;
    penY = y;
  }
  if (alone) layer.fill(penX, penY, penX + 2 * thick, penY + 2 * thick, color);
}

/** From this distance on, each sample is marked: the line between is only the last value, continued. */
const SPARSE_PX = 12;
/** The usual distance of two samples on screen. */
const samplePxOf = ({ gapBuckets, bucketPx }: MetricRect): number => Math.floor(gapBuckets / GAP_FACTOR) * bucketPx;

function drawDot(layer: PixelLayer, x: number, y: number, thick: number, color: number): void {
  layer.fill(x - thick, y - thick, x + 2 * thick, y + 2 * thick, color);
}

/** Bucket of the newest sample not after bucket `at`; -1 if it is further away than a gap. */
export function sampleAt(data: LaneMetric, at: number, gapBuckets: number): number {
  const stop = Math.max(0, at - gapBuckets);
  for (let index = Math.min(at, data.last.length - 1); index >= stop; index--)
    if (!Number.isNaN(data.last[index]!)) return index;
  return -1;
}

/** The newest sample not after bucket `at`; NaN if it is further away than a gap. */
export function valueAt(data: LaneMetric, at: number, gapBuckets: number): number {
  const index = sampleAt(data, at, gapBuckets);
  return index < 0 ? Number.NaN : data.last[index]!;
}
