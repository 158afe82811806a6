import { snap, type TimeScale, xOf } from '../canvas/time-scale.ts';
import type { Palette } from '../canvas/tokens.ts';
import { drawImpacts, type ImpactSpan } from './impact-columns.ts';

export interface OverviewData {
  readonly events: Int32Array;
  readonly spans: Int32Array;
  readonly logs: Int32Array;
}

export interface StripStyle {
  readonly palette: Palette;
  readonly height: number;
}

export interface OverviewStyle extends StripStyle {
  readonly impacts: readonly ImpactSpan[];
}

/** The whole case at a glance: when data was recorded and when services were degraded. */
export function drawOverview(
  pen: CanvasRenderingContext2D,
  data: OverviewData | undefined,
  scale: TimeScale,
  style: OverviewStyle,
): void {
  const { palette, height } = style;
  pen.fillStyle = palette.surface;
  pen.fillRect(0, 0, scale.width, height);
  drawImpacts(pen, style.impacts, scale, style);
  if (data) {
    drawBars(pen, data.spans, scale, { color: palette.spanDensity, height, part: 0.55 });
    drawBars(pen, data.logs, scale, { color: palette.spanDensity, height, part: 0.35 });
    drawBars(pen, data.events, scale, { color: palette.eventDensity, height, part: 0.9 });
  }
}

interface BarStyle {
  readonly color: string;
  readonly height: number;
  /** Share of the chart's height for the fullest bucket. */
  readonly part: number;
}

function drawBars(
  pen: CanvasRenderingContext2D,
  counts: Int32Array,
  scale: TimeScale,
  { color, height, part }: BarStyle,
): void {
  let most = 0;
  for (let at = 0; at < counts.length; at++) most = Math.max(most, counts[at]!);
  if (most === 0) return;
  const top = Math.log2(most + 1);
  const wide = scale.width / counts.length;
  pen.fillStyle = color;
  for (let at = 0; at < counts.length; at++) {
    const count = counts[at]!;
    if (count === 0) continue;
    const tall = Math.max(2, (Math.log2(count + 1) / top) * (height - 6) * part);
    const x = snap(at * wide, scale.pixelRatio);
    pen.fillRect(x, height - tall, Math.max(snap((at + 1) * wide, scale.pixelRatio) - x, 1 / scale.pixelRatio), tall);
  }
}

const HANDLE = 3;

/** The part of the case on screen. */
export function drawOverviewWindow(
  pen: CanvasRenderingContext2D,
  { startNs, endNs }: { readonly startNs: bigint; readonly endNs: bigint },
  scale: TimeScale,
  { palette, height }: StripStyle,
): void {
  const left = Math.max(0, xOf(scale, startNs));
  const right = Math.min(scale.width, xOf(scale, endNs));
  if (right <= 0 || left >= scale.width) return;
  const wide = Math.max(right - left, 3);
  pen.fillStyle = palette.selection;
  pen.fillRect(left, 0, wide, height);
  pen.strokeStyle = palette.accent;
  pen.lineWidth = 1;
  pen.strokeRect(Math.floor(left) + 0.5, 0.5, Math.max(Math.floor(wide) - 1, 2), height - 1);
  if (wide < 12) return;
  pen.fillStyle = palette.accent;
  pen.fillRect(Math.floor(left), height / 2 - 5, HANDLE, 10);
  pen.fillRect(Math.floor(left + wide) - HANDLE, height / 2 - 5, HANDLE, 10);
}
