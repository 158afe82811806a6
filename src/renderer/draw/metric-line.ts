import type { LaneMetric } from '../../model/contract/index.ts';
import { snap } from './time-scale.ts';
import type { Palette } from './tokens.ts';

/** What the line's shape needs beyond the samples; measured once, when the answer arrives. */
export interface MetricShape {
  readonly low: number;
  readonly high: number;
  /** Buckets between samples beyond which nothing was recorded: a gap, not a line. */
  readonly gapBuckets: number;
}

const GAP_FACTOR = 2.5;

export function measureMetric(data: LaneMetric): MetricShape {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const distances: number[] = [];
  let before = -1;
  for (let at = 0; at < data.last.length; at++) {
    if (Number.isNaN(data.last[at])) continue;
    low = Math.min(low, data.min[at] as number);
    high = Math.max(high, data.max[at] as number);
    if (before >= 0) distances.push(at - before);
    before = at;
  }
  distances.sort((a, b) => a - b);
  const typical = distances[distances.length >> 1] ?? 1;
  return { low, high, gapBuckets: Math.max(2, Math.ceil(typical * GAP_FACTOR)) };
}

/** The range a lane is drawn over: from zero where the data comes near it, so that small ripples stay small. */
export function niceRange(low: number, high: number): readonly [number, number] {
  if (!(low <= high)) return [0, 1];
  const span = high - low;
  const flat = Math.max(Math.abs(high), 1) * 0.02;
  if (span < flat) return [low - flat, high + flat];
  const bottom = low >= 0 && low < span * 0.6 ? 0 : low - span * 0.06;
  return [bottom, high + span * 0.06];
}

export interface MetricBox {
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
}

const MARGIN = 3;

export const yOf = (box: MetricBox, value: number): number => {
  const inner = box.height - 2 * MARGIN;
  return box.y + MARGIN + inner - ((value - box.bottom) / (box.top - box.bottom)) * inner;
};

/** First bucket that can be seen, and one past the last. */
export function visibleBuckets(box: MetricBox, length: number): readonly [number, number] {
  const first = Math.max(0, Math.floor(-box.originX / box.bucketPx) - box.gapBuckets);
  const end = Math.min(length, Math.ceil((box.width - box.originX) / box.bucketPx) + box.gapBuckets);
  return [first, end];
}

export function drawMetric(pen: CanvasRenderingContext2D, data: LaneMetric, box: MetricBox, palette: Palette): void {
  const [first, end] = visibleBuckets(box, data.last.length);
  if (box.bucketPx * box.pixelRatio < 1) drawColumns(pen, data, box, { first, end, palette });
  else drawBand(pen, data, box, { first, end, palette });
  drawLine(pen, data, box, { first, end, palette });
}

interface Visible {
  readonly first: number;
  readonly end: number;
  readonly palette: Palette;
}

/** Many buckets share a pixel: one column per device pixel from the least to the greatest of them. */
function drawColumns(pen: CanvasRenderingContext2D, data: LaneMetric, box: MetricBox, { first, end, palette }: Visible): void {
  const one = 1 / box.pixelRatio;
  pen.fillStyle = palette.band;
  let column = Number.NaN;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let at = first; at <= end; at++) {
    const next = at === end ? Number.NaN : Math.floor((box.originX + at * box.bucketPx) * box.pixelRatio);
    if (next !== column) {
      if (high > low) fillSpan(pen, box, { x: column * one, width: one, low, high });
      column = next;
      low = Number.POSITIVE_INFINITY;
      high = Number.NEGATIVE_INFINITY;
    }
    if (at === end || Number.isNaN(data.min[at])) continue;
    if ((data.min[at] as number) < low) low = data.min[at] as number;
    if ((data.max[at] as number) > high) high = data.max[at] as number;
  }
}

function drawBand(pen: CanvasRenderingContext2D, data: LaneMetric, box: MetricBox, { first, end, palette }: Visible): void {
  pen.fillStyle = palette.band;
  for (let at = first; at < end; at++) {
    const low = data.min[at] as number;
    const high = data.max[at] as number;
    if (!(high > low)) continue;
    const x = snap(box.originX + at * box.bucketPx, box.pixelRatio);
    fillSpan(pen, box, { x, width: Math.max(snap(box.bucketPx, box.pixelRatio), 1 / box.pixelRatio), low, high });
  }
}

interface Span {
  readonly x: number;
  readonly width: number;
  readonly low: number;
  readonly high: number;
}

function fillSpan(pen: CanvasRenderingContext2D, box: MetricBox, { x, width, low, high }: Span): void {
  const y = snap(yOf(box, high), box.pixelRatio);
  pen.fillRect(x, y, width, Math.max(yOf(box, low) - y, 1 / box.pixelRatio));
}

/** Through the last sample of each device pixel; lifts the pen over gaps and dots a sample that stands alone. */
function drawLine(pen: CanvasRenderingContext2D, data: LaneMetric, box: MetricBox, { first, end, palette }: Visible): void {
  const perStep = Math.max(1, Math.floor(1 / (box.bucketPx * box.pixelRatio)));
  pen.strokeStyle = palette.line;
  pen.lineWidth = 1;
  pen.lineJoin = 'round';
  pen.beginPath();
  let before = Number.NEGATIVE_INFINITY;
  let alone = false;
  let penX = 0;
  let penY = 0;
  for (let at = first; at < end; at++) {
    const value = data.last[at] as number;
    if (Number.isNaN(value)) continue;
    const joined = at - before <= box.gapBuckets;
    before = at;
    // Inside a run, samples that share a device pixel with the next one add nothing but time.
    if (joined && at % perStep !== 0 && !Number.isNaN(data.last[at + 1] ?? Number.NaN)) continue;
    const x = box.originX + (at + 0.5) * box.bucketPx;
    const y = yOf(box, value);
    if (joined) {
      // What lies between two samples was not seen: hold the last value rather than suggest a slope.
      if (x - penX > HOLD_PX) pen.lineTo(x, penY);
      pen.lineTo(x, y);
    }
    else {
      if (alone) traceDot(pen, penX, penY);
      pen.moveTo(x, y);
    }
    alone = !joined;
    penX = x;
    penY = y;
  }
  if (alone) traceDot(pen, penX, penY);
  pen.stroke();
}

const HOLD_PX = 3;

function traceDot(pen: CanvasRenderingContext2D, x: number, y: number): void {
  pen.moveTo(x + 1, y);
  pen.arc(x, y, 1, 0, Math.PI * 2);
}

/** The newest sample not after bucket `at`, unless it is further off than a gap: then nothing is known. */
export function valueAt(data: LaneMetric, at: number, gapBuckets: number): number {
  const stop = Math.max(0, at - gapBuckets);
  for (let index = Math.min(at, data.last.length - 1); index >= stop; index--) {
    const value = data.last[index] as number;
    if (!Number.isNaN(value)) return value;
  }
  return Number.NaN;
}
