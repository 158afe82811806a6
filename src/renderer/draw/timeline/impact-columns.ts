import { snap, type TimeScale, xOf } from '../canvas/time-scale.ts';
import type { Palette } from '../canvas/tokens.ts';

export interface ImpactSpan {
  readonly onsetEarliestNs: bigint;
  readonly onsetNs: bigint;
  readonly endNs: bigint;
  readonly selected: boolean;
}

/** So narrow a fringe has no room for a name. */
const NAMED_PX = 90;

/** When the selected impact began at the earliest, if the fringe before it is wide enough for a name. */
export function namedFringe(spans: readonly ImpactSpan[], scale: TimeScale): bigint | null {
  const selected = spans.find((span) => span.selected);
  if (!selected) return null;
  const left = xOf(scale, selected.onsetEarliestNs);
  return left >= 0 && xOf(scale, selected.onsetNs) - left >= NAMED_PX ? selected.onsetEarliestNs : null;
}

/** A shaded column through all lanes; the uncertainty of the onset is a lighter fringe. */
export function drawImpacts(
  pen: CanvasRenderingContext2D,
  spans: readonly ImpactSpan[],
  scale: TimeScale,
  style: ImpactStyle,
): void {
  const { palette, height } = style;
  const selectedSpan = spans.find((span) => span.selected);
  for (const span of spans) {
    // Two overlapping incidents would shade twice and hide where the selected one starts.
    if (
      selectedSpan &&
      span !== selectedSpan &&
      span.onsetEarliestNs < selectedSpan.endNs &&
      span.endNs > selectedSpan.onsetEarliestNs
    )
      continue;
    const left = xOf(scale, span.onsetNs);
    const right = xOf(scale, span.endNs);
    const fringe = xOf(scale, span.onsetEarliestNs);
    fillBetween(pen, { left: fringe, right: left, height, color: palette.impactFringe }, scale);
    fillBetween(pen, { left, right, height, color: span.selected ? palette.impact : palette.impactFaint }, scale);
    if (!span.selected) continue;
    pen.fillStyle = palette.impactEdge;
    drawEdge(pen, left, height, scale);
    drawEdge(pen, right, height, scale);
  }
}

export interface ImpactStyle {
  readonly palette: Palette;
  readonly height: number;
}

interface Fill {
  readonly left: number;
  readonly right: number;
  readonly height: number;
  readonly color: string;
}

function fillBetween(pen: CanvasRenderingContext2D, { left, right, height, color }: Fill, scale: TimeScale): void {
  if (right <= 0 || left >= scale.width || right <= left) return;
  const from = snap(Math.max(left, 0), scale.pixelRatio);
  const to = snap(Math.min(right, scale.width), scale.pixelRatio);
  pen.fillStyle = color;
  pen.fillRect(from, 0, Math.max(to - from, 1 / scale.pixelRatio), height);
}

function drawEdge(pen: CanvasRenderingContext2D, x: number, height: number, scale: TimeScale): void {
  if (x < 0 || x > scale.width) return;
  pen.fillRect(snap(x, scale.pixelRatio), 0, 1, height);
}
