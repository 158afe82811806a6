import type { LaneLogs } from '../../../model/contract/index.ts';
import type { PixelColors, PixelLayer } from '../canvas/pixel-layer.ts';
import type { LaneRect } from './lane-rect.ts';

export interface DensityStyle {
  readonly bucketSeconds: number;
  readonly color: number;
  /** Count at full height; comparable neighbours share it. */
  readonly most: number;
  /** Drawn from the top down, which distinguishes it from the columns at the bottom without colour. */
  readonly hangs: boolean;
  /** Total counts: if set, the height is the share of them, not a log scale. */
  readonly of?: Int32Array;
}

export function mostOf(counts: Int32Array): number {
  let most = 1;
  for (let at = 0; at < counts.length; at++) most = Math.max(most, counts[at]!);
  return most;
}

/** Columns of counts on a log scale, or of shares, for events too dense to draw one by one. */
export function drawDensity(layer: PixelLayer, counts: Int32Array, rect: LaneRect, style: DensityStyle): void {
  const { bucketSeconds, color, hangs } = style;
  const scale = Math.log2(style.most + 1);
  const ratio = rect.pixelRatio;
  const step = rect.pixelsPerSecond * bucketSeconds * ratio;
  const origin = rect.originX * ratio;
  const bottom = Math.round((rect.y + rect.height - 2) * ratio);
  const top = Math.round((rect.y + 1) * ratio);
  let at = Math.max(0, Math.floor(-origin / step));
  while (at < counts.length) {
    const left = Math.floor(origin + at * step);
    if (left > layer.width) return;
    // With buckets narrower than a pixel, only the highest of a pixel column is visible.
    let level = 0;
    let right = left;
    for (; at < counts.length && right <= left; at++) {
      level = Math.max(level, levelOf(counts[at]!, style.of?.[at]));
      right = Math.floor(origin + (at + 1) * step);
    }
    if (level === 0) continue;
    const share = style.of ? level : Math.log2(level + 1) / scale;
    const tall = Math.round(Math.max(ratio, share * (rect.height - 4) * ratio));
    const end = Math.max(left + 1, right);
    layer.fill(left, hangs ? top : bottom - tall, end, hangs ? top + tall : bottom, color);
  }
}

/** Value behind a column's height: the count, or its share of `whole`. */
const levelOf = (count: number, whole: number | undefined): number =>
  whole === undefined || count === 0 ? count : count / Math.max(whole, count);

/** All records rise from the bottom, warnings in their colour; errors hang from the top. */
export function drawLogs(
  layer: PixelLayer,
  data: LaneLogs,
  box: LaneRect,
  { bucketSeconds, colors }: { readonly bucketSeconds: number; readonly colors: PixelColors },
): void {
  const most = Math.max(mostOf(data.other), mostOf(data.warning), mostOf(data.error));
  const style = { bucketSeconds, most, hangs: false };
  drawDensity(layer, data.other, box, { ...style, color: colors.quiet });
  drawDensity(layer, data.warning, box, { ...style, color: colors.tones[2] ?? 0 });
  drawDensity(layer, data.error, box, { ...style, color: colors.edges[0] ?? 0, hangs: true });
}
