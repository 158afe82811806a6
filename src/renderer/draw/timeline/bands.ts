import { bisectLeft } from '../../../base/bisect.ts';
import type { LaneBands } from '../../../model/contract/index.ts';
import type { PixelColors, PixelLayer } from '../canvas/pixel-layer.ts';
import type { Palette } from '../canvas/tokens.ts';
import { drawDensity, mostOf } from './density.ts';
import type { LaneRect } from './lane-rect.ts';
import { ROW_LOW, ROW_MIDDLE } from './row-layout.ts';

/** Rectangle of a lane's bands, one row per depth. */
export interface BandRect extends LaneRect {
  /** Rows drawn; deeper bands share the last row. */
  readonly rows: number;
  /** A normal state is drawn as a thin line at the bottom. */
  readonly isState: boolean;
}

/** Index into `bandTones`. */
const CALM = 4;
const UNKNOWN = 5;
const MOST_ROWS = 4;

/** As many rows as fit and as the lane has. */
export function bandRows(depths: number, height: number): number {
  const room = height <= ROW_LOW ? 1 : height <= ROW_MIDDLE ? 2 : MOST_ROWS;
  return Math.max(1, Math.min(room, depths));
}

const rowHeight = (rect: BandRect): number => (rect.height - 3) / rect.rows;
const rowTop = (box: BandRect, depth: number): number => box.y + 1 + Math.min(depth, box.rows - 1) * rowHeight(box);

/** Right edge of the last band drawn on each row: many bands within one pixel paint it once. */
const painted = new Int32Array(MOST_ROWS);

export function drawBands(
  layer: PixelLayer,
  data: LaneBands,
  box: BandRect,
  style: { readonly colors: PixelColors; readonly bucketSeconds: number },
): void {
  if (data.truncated) return drawBandDensity(layer, data, box, style);
  const { colors } = style;
  const { start_s: starts, end_s: ends, tone: tones, depth: depths, is_open: open } = data;
  const { originX, pixelsPerSecond, pixelRatio: ratio } = box;
  const tall = Math.round((rowHeight(box) - 1) * ratio);
  painted.fill(-1);
  for (let at = 0; at < starts.length; at++) {
    const from = (originX + starts[at]! * pixelsPerSecond) * ratio;
    if (from > layer.width) return;
    const until = (originX + ends[at]! * pixelsPerSecond) * ratio;
    if (until < 0) continue;
    const depth = Math.min(depths[at]!, box.rows - 1);
    const tone = tones[at]!;
    const left = Math.round(Math.max(from, -2));
    const right = Math.max(left + 1, Math.round(Math.min(until, layer.width + 2)));
    if (tone >= CALM && right <= painted[depth]!) continue;
    painted[depth] = Math.max(right, painted[depth]!);
    const top = Math.round(rowTop(box, depth) * ratio);
    drawBand(layer, { left, right, top, bottom: top + tall }, { tone, open: open[at] === 1, rect: box, colors });
  }
}

interface Place {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}
interface BandStyle {
  readonly tone: number;
  readonly open: boolean;
  readonly rect: BandRect;
  readonly colors: PixelColors;
}

/** Solid: recorded from start to end. Striped after its start: no end recorded. Hatched: unknown. */
function drawBand(
  layer: PixelLayer,
  { left, right, top, bottom }: Place,
  { tone, open, rect, colors }: BandStyle,
): void {
  const thick = Math.max(1, Math.round(2 * rect.pixelRatio));
  const color = colors.tones[tone] ?? 0;
  if (tone === UNKNOWN) return layer.hatch(left, top, right, bottom, colors.gap);
  if (tone === CALM && rect.isState) return layer.fill(left, bottom - thick, right, bottom, colors.quiet);
  // Leave a pixel between neighbours if there is room.
  const end = right - left > 2 * thick ? right - 1 : right;
  if (open) {
    layer.hatch(left, top, end, bottom, color);
    layer.fill(left, top, left + thick, bottom, colors.edges[tone] ?? 0);
    return;
  }
  layer.fill(left, top, end, bottom, color);
  // A bar along the top marks a problem without relying on colour.
  if (tone < CALM) layer.fill(left, top, end, top + thick, colors.edges[tone] ?? 0);
}

/** Counts of starts; the share that failed hangs from the top. */
function drawBandDensity(
  layer: PixelLayer,
  { density, failed }: LaneBands,
  box: BandRect,
  { colors, bucketSeconds }: { readonly colors: PixelColors; readonly bucketSeconds: number },
): void {
  const style = { bucketSeconds, most: mostOf(density), hangs: false };
  drawDensity(layer, density, box, { ...style, color: colors.quiet });
  drawDensity(layer, failed, box, { ...style, color: colors.edges[0] ?? 0, hangs: true, of: density });
}

const MARGIN = 4;
const LEAST_PX = 16;
const LEAST_HEIGHT = 9;

/** Names inside the bands if they fit: a cut name could be another one. */
export function drawBandNames(pen: CanvasRenderingContext2D, data: LaneBands, box: BandRect, palette: Palette): void {
  if (data.truncated || rowHeight(box) < LEAST_HEIGHT) return;
  const { start_s: starts, end_s: ends, tone: tones, depth: depths, name, names } = data;
  pen.font = palette.smallFont;
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  for (let at = 0; at < starts.length; at++) {
    const from = box.originX + starts[at]! * box.pixelsPerSecond;
    if (from > box.width) return;
    // The name of the last recorded state may extend into the unknown time after it.
    const last = box.isState && tones[at + 1] === UNKNOWN ? at + 1 : at;
    const until = box.originX + ends[last]! * box.pixelsPerSecond;
    if (until - from < LEAST_PX || until < 0 || tones[at] === UNKNOWN || depths[at]! >= box.rows) continue;
    const left = Math.max(from, 0) + MARGIN;
    const text = inReadingOrder(names[name[at]!]!);
    if (widthOf(pen, text) > Math.min(until, box.width) - left - 2) continue;
    pen.fillStyle = tones[at] === CALM && box.isState ? palette.muted : palette.text;
    pen.fillText(text, left, rowTop(box, depths[at]!) + (rowHeight(box) - 1) / 2);
  }
}

/** A canvas has no bidi isolation: a recorded name with direction marks would read backwards. */
const inReadingOrder = (name: string): string =>
  name.replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');

const MOST_WIDTHS = 4000;
const widths = new Map<string, number>();

/** Cached per name: a frame needs hundreds. */
function widthOf(pen: CanvasRenderingContext2D, text: string): number {
  const known = widths.get(text);
  if (known !== undefined) return known;
  if (widths.size > MOST_WIDTHS) widths.clear();
  const { width } = pen.measureText(text);
  widths.set(text, width);
  return width;
}

const REACH_PX = 3;

/** The band under the mouse, the shortest if several are within reach; -1: none. */
export function hitBand(data: LaneBands, box: BandRect, x: number, y: number): number {
  const depth = Math.min(box.rows - 1, Math.max(0, Math.floor((y - box.y - 1) / rowHeight(box))));
  let best = -1;
  let shortest = Number.POSITIVE_INFINITY;
  for (let at = 0; at < data.start_s.length; at++) {
    if (Math.min(data.depth[at]!, box.rows - 1) !== depth) continue;
    const from = box.originX + data.start_s[at]! * box.pixelsPerSecond;
    const until = box.originX + data.end_s[at]! * box.pixelsPerSecond;
    if (x < from - REACH_PX || x > until + REACH_PX || until - from >= shortest) continue;
    best = at;
    shortest = until - from;
  }
  return best;
}

/** The start of a band, at half its height. */
export const bandPlace = (data: LaneBands, box: BandRect, at: number): { readonly x: number; readonly y: number } => ({
  x: box.originX + data.start_s[at]! * box.pixelsPerSecond,
  y: rowTop(box, data.depth[at]!) + (rowHeight(box) - 1) / 2,
});

/** Bands that contain an instant, in seconds after the start of the data; by depth from the top. */
export function bandsAt(data: LaneBands, second: number): readonly number[] {
  const found: number[] = [];
  const end = bisectLeft(data.start_s, second + 1e-9);
  for (let at = 0; at < end; at++) if (data.end_s[at]! > second) found.push(at);
  return found.sort((a, b) => data.depth[a]! - data.depth[b]!);
}

export const isUnknown = (data: LaneBands, at: number): boolean => data.tone[at] === UNKNOWN;
export const isFailed = (data: LaneBands, at: number): boolean => data.tone[at] === 0;

export function depthsOf({ depth }: LaneBands): number {
  let most = 0;
  for (let at = 0; at < depth.length; at++) most = Math.max(most, depth[at]! + 1);
  return most;
}
