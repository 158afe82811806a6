import { bisectLeft } from '../../../base/bisect.ts';
import type { LaneEvents } from '../../../model/contract/index.ts';
import type { PixelColors, PixelLayer, Sprite } from '../canvas/pixel-layer.ts';
import { snap } from '../canvas/time-scale.ts';
import type { Palette } from '../canvas/tokens.ts';
import { drawDensity, mostOf } from './density.ts';
import type { LaneRect } from './lane-rect.ts';
import { eventLine } from './row-layout.ts';

/** Glyphs closer than this would overlap; they become one stack with a count. */
export const MERGE_PX = 6;
/** Maximum width of a stack, so that a long burst keeps its shape over time. */
const STACK_PX = 24;

/** The stacks of all visible lanes, in columns that are refilled on every frame. */
export class Stacks {
  private capacity = 1024;
  length = 0;
  firstX = new Float64Array(this.capacity);
  lastX = new Float64Array(this.capacity);
  worstX = new Float64Array(this.capacity);
  y = new Float64Array(this.capacity);
  size = new Float64Array(this.capacity);
  count = new Int32Array(this.capacity);
  severity = new Uint8Array(this.capacity);

  clear(): void {
    this.length = 0;
  }

  /** Reserves one entry and returns its index. */
  claim(): number {
    if (this.length === this.capacity) this.grow();
    return this.length++;
  }

  private grow(): void {
    this.capacity *= 2;
    this.firstX = copyInto(new Float64Array(this.capacity), this.firstX);
    this.lastX = copyInto(new Float64Array(this.capacity), this.lastX);
    this.worstX = copyInto(new Float64Array(this.capacity), this.worstX);
    this.y = copyInto(new Float64Array(this.capacity), this.y);
    this.size = copyInto(new Float64Array(this.capacity), this.size);
    this.count = copyInto(new Int32Array(this.capacity), this.count);
    this.severity = copyInto(new Uint8Array(this.capacity), this.severity);
  }
}

function copyInto<A extends { set(from: A): void }>(to: A, from: A): A {
  to.set(from);
  return to;
}

/**
 * Adds the stacks of a lane's visible events to `out`. Distances are compared in seconds, because this is the innermost
 * loop: a window can have half a million events per frame.
 */
export function stackEvents(data: LaneEvents, rect: LaneRect, out: Stacks): void {
  const { offset_s: offsets, severity } = data;
  const { originX, pixelsPerSecond } = rect;
  const y = snap(eventLine(rect.y, rect.height), rect.pixelRatio);
  const size = rect.height <= 18 ? SMALL : LARGE;
  const [gap, widest] = [MERGE_PX / pixelsPerSecond, STACK_PX / pixelsPerSecond];
  const end = bisectLeft(offsets, (rect.width + MERGE_PX - originX) / pixelsPerSecond);
  let at = bisectLeft(offsets, (-MERGE_PX - originX) / pixelsPerSecond);
  while (at < end) {
    const from = at;
    const first = offsets[at]!;
    const limit = first + widest;
    let last = first;
    let worst = severity[at]!;
    let worstAt = at;
    for (at++; at < end; at++) {
      const offset = offsets[at]!;
      if (offset - last >= gap || offset >= limit) break;
      last = offset;
      const own = severity[at]!;
      if (own < worst) {
        worst = own;
        worstAt = at;
      }
    }
    const index = out.claim();
    out.firstX[index] = originX + first * pixelsPerSecond;
    out.lastX[index] = originX + last * pixelsPerSecond;
    out.worstX[index] = originX + offsets[worstAt]! * pixelsPerSecond;
    out.y[index] = y;
    out.size[index] = size;
    out.count[index] = at - from;
    out.severity[index] = worst;
  }
}

/** Side of a glyph sprite, with a margin. */
export const SPRITE_PX = 16;
const SMALL = 4;
const LARGE = 5;

/** One sprite per severity, for low and for taller lanes. */
export interface GlyphSprites {
  readonly small: readonly Sprite[];
  readonly large: readonly Sprite[];
}

/** The glyphs of all stacks, the most severe on top. */
export function drawGlyphs(layer: PixelLayer, stacks: Stacks, { small, large }: GlyphSprites): void {
  const ratio = layer.pixelRatio;
  for (let severity = 3; severity >= 0; severity--) {
    const low = small[severity];
    const high = large[severity];
    for (let at = 0; at < stacks.length; at++) {
      const sprite = stacks.size[at] === SMALL ? low : high;
      if (stacks.severity[at] !== severity || !sprite) continue;
      const left = Math.round((stacks.worstX[at]! - SPRITE_PX / 2) * ratio);
      const top = Math.round((stacks.y[at]! - SPRITE_PX / 2) * ratio);
      layer.stamp(sprite, left, top);
    }
  }
}

/**
 * Backgrounds of the glyphs in the pixel layer: bars under stacks, or a density chart if there are too many events. The most
 * severe events stay visible in front of it.
 */
export function drawEventGrounds(layer: PixelLayer, data: LaneEvents, box: LaneRect, style: GroundStyle): void {
  if (data.truncated) {
    const { bucketSeconds, colors } = style;
    const most = mostOf(data.density);
    drawDensity(layer, data.density, box, { bucketSeconds, color: colors.density, most, hangs: false });
    stackEvents(data, box, style.stacks);
    return;
  }
  const { stacks } = style;
  const from = stacks.length;
  stackEvents(data, box, stacks);
  const ratio = box.pixelRatio;
  const bottom = Math.round((box.y + box.height - 2) * ratio);
  for (let at = from; at < stacks.length; at++) {
    const count = stacks.count[at]!;
    if (count < 2) continue;
    const height = Math.min(Math.min(box.height, 28) - 4, 4 + Math.log2(count) * 3);
    const left = Math.round((stacks.firstX[at]! - 3) * ratio);
    const right = Math.round((stacks.lastX[at]! + 3) * ratio);
    layer.fill(
      left,
      bottom - Math.round(height * ratio),
      right,
      bottom,
      style.colors.stacks[stacks.severity[at]!] ?? 0,
    );
  }
}

export interface GroundStyle {
  readonly stacks: Stacks;
  readonly colors: PixelColors;
  /** Seconds per density bucket. */
  readonly bucketSeconds: number;
}

/** Triangle, diamond, disc, ring: severity must not depend on colour. */
export function traceGlyph(pen: CanvasRenderingContext2D, severity: number, x: number, y: number, size: number): void {
  switch (severity) {
    case 0:
      pen.moveTo(x, y - size - 0.5);
      pen.lineTo(x + size + 0.5, y + size - 0.5);
      pen.lineTo(x - size - 0.5, y + size - 0.5);
      pen.closePath();
      return;
    case 1:
      pen.moveTo(x, y - size - 0.5);
      pen.lineTo(x + size + 0.5, y);
      pen.lineTo(x, y + size + 0.5);
      pen.lineTo(x - size - 0.5, y);
      pen.closePath();
      return;
    case 2:
      pen.moveTo(x + size - 1, y);
      pen.arc(x, y, size - 1, 0, Math.PI * 2);
      return;
    default:
      pen.moveTo(x + size - 1.5, y);
      pen.arc(x, y, size - 1.5, 0, Math.PI * 2);
  }
}

const DIGIT_PX = 7;

/** Counts of all stacks, right of their glyph if there is room before the next. */
export function drawCounts(pen: CanvasRenderingContext2D, stacks: Stacks, palette: Palette, width: number): void {
  pen.font = palette.smallFont;
  pen.fillStyle = palette.text;
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  for (let at = 0; at < stacks.length; at++) {
    const count = stacks.count[at]!;
    if (count < 2) continue;
    const y = stacks.y[at]!;
    const left = stacks.worstX[at]! + stacks.size[at]! + 3;
    const followed = at + 1 < stacks.length && stacks.y[at + 1] === y;
    const right = followed ? stacks.worstX[at + 1]! - stacks.size[at + 1]! - 1 : width;
    if (right - left >= DIGIT_PX * digitsOf(count)) pen.fillText(String(count), left, y);
  }
}

const digitsOf = (count: number): number =>
  count < 10 ? 1 : count < 100 ? 2 : count < 1000 ? 3 : count < 10_000 ? 4 : 6;
