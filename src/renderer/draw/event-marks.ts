import { bisectLeft } from '../../base/bisect.ts';
import type { LaneEvents } from '../../model/contract/index.ts';
import { eventLine } from './row-layout.ts';
import { snap } from './time-scale.ts';
import type { Palette } from './tokens.ts';

/** Closer than this, glyphs would hide each other and are stacked into one bar with its count. */
export const MERGE_PX = 6;
/** A stack never grows wider, so that a long burst keeps its shape over time. */
const STACK_PX = 24;

/** Box of a lane on the canvas and the pixel of its data's offset zero. */
export interface LaneBox {
  readonly y: number;
  readonly height: number;
  readonly width: number;
  readonly pixelRatio: number;
  /** x of `offset_s` 0, and pixels per second. */
  readonly originX: number;
  readonly pixelsPerSecond: number;
}

/** Stacks found in one lane; reused from lane to lane and frame to frame. */
export class Stacks {
  capacity = 512;
  length = 0;
  firstX = new Float64Array(this.capacity);
  lastX = new Float64Array(this.capacity);
  worstX = new Float64Array(this.capacity);
  count = new Int32Array(this.capacity);
  severity = new Uint8Array(this.capacity);

  add(x: number, severity: number): void {
    if (this.length === this.capacity) this.grow();
    const at = this.length++;
    this.firstX[at] = x;
    this.lastX[at] = x;
    this.worstX[at] = x;
    this.count[at] = 1;
    this.severity[at] = severity;
  }

  private grow(): void {
    this.capacity *= 2;
    const wider = (old: Float64Array) => {
      const next = new Float64Array(this.capacity);
      next.set(old);
      return next;
    };
    this.firstX = wider(this.firstX);
    this.lastX = wider(this.lastX);
    this.worstX = wider(this.worstX);
    const count = new Int32Array(this.capacity);
    count.set(this.count);
    this.count = count;
    const severity = new Uint8Array(this.capacity);
    severity.set(this.severity);
    this.severity = severity;
  }
}

/** Walks the visible events once and leaves their stacks in `out`. */
export function stackEvents(data: LaneEvents, box: LaneBox, out: Stacks): void {
  out.length = 0;
  const { offset_s: offsets, severity } = data;
  const { originX, pixelsPerSecond } = box;
  let at = bisectLeft(offsets, (-MERGE_PX - originX) / pixelsPerSecond);
  const end = bisectLeft(offsets, (box.width + MERGE_PX - originX) / pixelsPerSecond, at);
  for (; at < end; at++) {
    const x = originX + (offsets[at] as number) * pixelsPerSecond;
    const worst = severity[at] as number;
    const last = out.length - 1;
    const joins = last >= 0 && x - (out.lastX[last] as number) < MERGE_PX && x - (out.firstX[last] as number) < STACK_PX;
    if (!joins) {
      out.add(x, worst);
      continue;
    }
    out.lastX[last] = x;
    out.count[last] = (out.count[last] as number) + 1;
    if (worst < (out.severity[last] as number)) {
      out.severity[last] = worst;
      out.worstX[last] = x;
    }
  }
}

export function drawEvents(pen: CanvasRenderingContext2D, data: LaneEvents, box: LaneBox, style: EventStyle): void {
  if (data.truncated) return drawDensity(pen, data.density, box, style);
  const { stacks, palette } = style;
  stackEvents(data, box, stacks);
  const middle = snap(eventLine(box.y, box.height), box.pixelRatio);
  const size = box.height <= 18 ? 4 : 5;
  for (let severity = 3; severity >= 0; severity--) {
    pen.fillStyle = palette.severity[severity as 0 | 1 | 2 | 3];
    drawStackBars(pen, stacks, severity, box);
    drawGlyphs(pen, stacks, { severity, middle, size });
  }
  drawCounts(pen, stacks, { middle, size, palette, width: box.width });
}

export interface EventStyle {
  readonly stacks: Stacks;
  readonly palette: Palette;
  /** Seconds per density bucket. */
  readonly bucketSeconds: number;
}

function drawStackBars(pen: CanvasRenderingContext2D, stacks: Stacks, severity: number, box: LaneBox): void {
  pen.globalAlpha = 0.32;
  for (let at = 0; at < stacks.length; at++) {
    if (stacks.severity[at] !== severity) continue;
    const count = stacks.count[at] as number;
    if (count < 2) continue;
    const height = Math.min(Math.min(box.height, 28) - 4, 4 + Math.log2(count) * 3);
    const left = snap((stacks.firstX[at] as number) - 3, box.pixelRatio);
    const right = snap((stacks.lastX[at] as number) + 3, box.pixelRatio);
    pen.fillRect(left, snap(box.y + box.height - 2 - height, box.pixelRatio), Math.max(right - left, 2), height);
  }
  pen.globalAlpha = 1;
}

interface GlyphStyle {
  readonly severity: number;
  readonly middle: number;
  readonly size: number;
}

/** All glyphs of one severity as one path: triangle, diamond, disc, ring. */
function drawGlyphs(pen: CanvasRenderingContext2D, stacks: Stacks, { severity, middle, size }: GlyphStyle): void {
  pen.beginPath();
  let any = false;
  for (let at = 0; at < stacks.length; at++) {
    if (stacks.severity[at] !== severity) continue;
    any = true;
    traceGlyph(pen, severity, stacks.worstX[at] as number, middle, size);
  }
  if (!any) return;
  if (severity === 3) {
    pen.strokeStyle = pen.fillStyle;
    pen.lineWidth = 1.5;
    pen.stroke();
  } else {
    pen.fill();
  }
}

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

interface CountStyle {
  readonly middle: number;
  readonly size: number;
  readonly palette: Palette;
  readonly width: number;
}

const DIGIT_PX = 7;

/** Counts stand to the right of their glyph where there is room before the next. */
function drawCounts(pen: CanvasRenderingContext2D, stacks: Stacks, { middle, size, palette, width }: CountStyle): void {
  pen.font = palette.smallFont;
  pen.fillStyle = palette.text;
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  for (let at = 0; at < stacks.length; at++) {
    const count = stacks.count[at] as number;
    if (count < 2) continue;
    const left = (stacks.worstX[at] as number) + size + 3;
    const room = at + 1 < stacks.length ? (stacks.worstX[at + 1] as number) - size - 1 - left : width - left;
    if (room >= DIGIT_PX * digitsOf(count)) pen.fillText(String(count), left, middle);
  }
}

const digitsOf = (count: number): number => (count < 10 ? 1 : count < 100 ? 2 : count < 1000 ? 3 : count < 10_000 ? 4 : 6);

/** Too many to send one by one: columns of counts on a log scale. */
export function drawDensity(pen: CanvasRenderingContext2D, density: Int32Array, box: LaneBox, style: EventStyle): void {
  let most = 1;
  for (let at = 0; at < density.length; at++) most = Math.max(most, density[at] as number);
  const top = Math.log2(most + 1);
  const step = box.pixelsPerSecond * style.bucketSeconds;
  pen.fillStyle = style.palette.eventDensity;
  let x = -1;
  let count = 0;
  for (let at = 0; at <= density.length; at++) {
    const next = at === density.length ? Number.POSITIVE_INFINITY : Math.floor(box.originX + at * step);
    if (next !== x) {
      const wide = Math.max(1, Math.min(next, x + Math.ceil(step)) - x);
      const height = (Math.log2(count + 1) / top) * (box.height - 4);
      if (count > 0 && x >= -step && x <= box.width) pen.fillRect(x, box.y + box.height - 2 - height, wide, height);
      x = next;
      count = 0;
    }
    if (at < density.length) count += density[at] as number;
  }
}
