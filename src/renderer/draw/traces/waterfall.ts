import { bisectLeft } from '../../../base/bisect.ts';
import type { TraceGroup } from '../../../model/contract/index.ts';
import { crisp } from '../canvas/time-scale.ts';
import type { Palette } from '../canvas/tokens.ts';
import { messages } from '../messages.ts';
import { formatDuration } from '../text/format-time.ts';
import { type TraceGroupScale, traceGroupTicks, xOfTime } from './trace-group-scale.ts';
import { isFailed, lengthOf, waitOf } from './trace-group-text.ts';
import { bandGaps, pathBands } from './waterfall-band.ts';
import type { HeadRow, WaterfallRows } from './waterfall-rows.ts';

export const ROW_HEIGHT = 20;

/** All data that a frame of the waterfall needs, without React. */
export interface WaterfallScene {
  readonly traceGroup: TraceGroup;
  readonly rows: WaterfallRows;
  /** Visible rows. */
  readonly first: number;
  readonly end: number;
  readonly scrollTop: number;
  readonly height: number;
  readonly scale: TraceGroupScale;
  readonly from_ns: number;
  readonly palette: Palette;
  readonly pixelRatio: number;
  readonly selected: number;
  /** Row under the mouse or the keyboard focus; -1: none. */
  readonly current: number;
  /** After the start of the trace group; null: outside of it. */
  readonly playhead_ns: number | null;
  /** The brushed window, after the start of the trace group; null: none. */
  readonly brush_ns: { readonly from: number; readonly until: number } | null;
  /** Parts of the critical path by span: indexes into the `path_` columns. */
  readonly pathOf: ReadonlyMap<number, readonly number[]>;
}

/** Indexes into the `path_` columns by the working span. */
export function pathBySpan({ path_span, path_wait }: TraceGroup): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (let at = 0; at < path_span.length; at++) {
    if (path_wait[at] === 1) continue;
    const span = path_span[at]!;
    const known = found.get(span);
    if (known) known.push(at);
    else found.set(span, [at]);
  }
  return found;
}

export function paintWaterfall(pen: CanvasRenderingContext2D, scene: WaterfallScene): void {
  const { palette, scale, height, rows, first, end, scrollTop } = scene;
  pen.fillStyle = palette.surface;
  pen.fillRect(0, 0, scale.width, height);
  for (let row = first; row < end; row++) {
    const y = row * ROW_HEIGHT - scrollTop;
    const code = rows.rows[row]!;
    if (code >= 0 && code === scene.selected) ground(pen, scene, y, palette.selection);
    else if (row === scene.current) ground(pen, scene, y, palette.hover);
  }
  paintIdle(pen, scene);
  paintBrush(pen, scene);
  paintGrid(pen, scene);
  for (let row = first; row < end; row++) {
    const code = rows.rows[row]!;
    const y = row * ROW_HEIGHT - scrollTop;
    if (code < 0) paintHead(pen, scene, rows.heads[-1 - code]!, y);
    else paintSpan(pen, scene, code, y);
    if (isFoldedRow(scene, row)) paintBand(pen, scene, code, y);
  }
  paintLinks(pen, scene);
  paintPlayhead(pen, scene);
}

function ground(pen: CanvasRenderingContext2D, { scale }: WaterfallScene, y: number, color: string): void {
  pen.fillStyle = color;
  pen.fillRect(0, y, scale.width, ROW_HEIGHT);
}

/** Shortened idle time is hatched, because its width is not to scale. */
function paintIdle(pen: CanvasRenderingContext2D, scene: WaterfallScene): void {
  const { scale, height } = scene;
  for (const { from_ns, until_ns } of scale.places.idle) {
    const left = xOfTime(scale, from_ns);
    const right = xOfTime(scale, until_ns);
    if (right > 0 && left < scale.width) hatch(pen, scene, { left, right, top: 0, bottom: height });
  }
}

function paintBrush(pen: CanvasRenderingContext2D, { scale, brush_ns, palette, height }: WaterfallScene): void {
  if (!brush_ns) return;
  const inside = (ns: number): number => Math.min(Math.max(xOfTime(scale, ns), -1), scale.width + 1);
  const [left, right] = [inside(brush_ns.from), inside(brush_ns.until)];
  pen.fillStyle = palette.selection;
  pen.fillRect(left, 0, right - left, height);
  pen.fillStyle = palette.accent;
  for (const edge of [left, right]) pen.fillRect(edge - 0.5, 0, 1, height);
}

interface Rect {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}
const STRIPE = 6;

function hatch(pen: CanvasRenderingContext2D, { palette, scale }: WaterfallScene, rect: Rect): void {
  const left = Math.max(rect.left, 0);
  const right = Math.min(rect.right, scale.width);
  const tall = rect.bottom - rect.top;
  pen.save();
  pen.beginPath();
  pen.rect(left, rect.top, right - left, tall);
  pen.clip();
  pen.strokeStyle = palette.gap;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (let x = left - tall - ((left - tall) % STRIPE); x < right; x += STRIPE) {
    pen.moveTo(x, rect.bottom);
    pen.lineTo(x + tall, rect.top);
  }
  pen.stroke();
  pen.restore();
}

function paintGrid(
  pen: CanvasRenderingContext2D,
  { scale, from_ns, palette, pixelRatio, height }: WaterfallScene,
): void {
  pen.strokeStyle = palette.hairline;
  pen.lineWidth = 1 / pixelRatio;
  pen.beginPath();
  for (const { x } of traceGroupTicks(scale, from_ns)) {
    pen.moveTo(crisp(x, pixelRatio), 0);
    pen.lineTo(crisp(x, pixelRatio), height);
  }
  pen.stroke();
}

const BAR_TOP = 4;
const BAR = 11;
const LEAST_PX = 1.5;

function paintSpan(pen: CanvasRenderingContext2D, scene: WaterfallScene, span: number, y: number): void {
  const { traceGroup, scale, palette } = scene;
  const from = xOfTime(scale, traceGroup.start_ns[span]!);
  const until = Math.max(xOfTime(scale, traceGroup.end_ns[span]!), from + LEAST_PX);
  const failed = isFailed(traceGroup, span);
  const left = Math.max(from, -2);
  const right = Math.min(until, scale.width + 2);
  if (right > left) {
    pen.fillStyle = palette.series[traceGroup.service[span]! % palette.series.length] ?? palette.muted;
    pen.fillRect(left, y + BAR_TOP, right - left, BAR);
    if (failed) {
      // Besides the colour: a bar along the top, and a mark before the name.
      pen.fillStyle = palette.severity[0];
      pen.fillRect(left, y + BAR_TOP - 2, right - left, 2);
    }
    paintPath(pen, scene, span, y);
  }
  if (traceGroup.shift_ns[span] !== 0 && (span === scene.selected || scene.rows.rows[scene.current] === span))
    paintRecorded(pen, scene, span, y);
  paintEvents(pen, scene, span, y);
  paintLength(pen, scene, { span, from, until, y });
}

/** Rows are in tree order: the row after an unfolded span with children is the first of them, unless that is hidden. */
const isFoldedRow = ({ rows, traceGroup }: WaterfallScene, row: number): boolean => {
  const span = rows.rows[row]!;
  const next = rows.rows[row + 1];
  if (span < 0) return false;
  return traceGroup.below[span]! > 0 && (next === undefined || next < 0 || next > span + traceGroup.descendants[span]!);
};

/** The gaps between the children of a folded span, cut out of its bar, so that a late token is seen. */
function paintBand(pen: CanvasRenderingContext2D, scene: WaterfallScene, span: number, y: number): void {
  const { traceGroup, scale, palette } = scene;
  pen.fillStyle = palette.surface;
  for (const { left, right } of bandGaps(traceGroup, span, scale))
    pen.fillRect(left, y + BAR_TOP + BAR / 2, right - left, BAR / 2);
}

/** The parts of the critical path that ran in this span. */
function paintPath(pen: CanvasRenderingContext2D, scene: WaterfallScene, span: number, y: number): void {
  const { traceGroup, scale, palette } = scene;
  pen.fillStyle = palette.text;
  for (const { left, right } of pathBands(traceGroup, scene.pathOf.get(span) ?? [], scale))
    pen.fillRect(left, y + BAR_TOP + BAR, right - left, 2);
}

/** The recorded place of a span that was shifted. */
function paintRecorded(
  pen: CanvasRenderingContext2D,
  { traceGroup, scale, palette }: WaterfallScene,
  span: number,
  y: number,
): void {
  const shift = traceGroup.shift_ns[span]!;
  const left = xOfTime(scale, traceGroup.start_ns[span]! - shift);
  const right = xOfTime(scale, traceGroup.end_ns[span]! - shift);
  pen.strokeStyle = palette.text;
  pen.lineWidth = 1;
  pen.setLineDash([3, 2]);
  pen.strokeRect(left, y + BAR_TOP - 1, Math.max(right - left, 1), BAR + 2);
  pen.setLineDash([]);
}

function paintEvents(
  pen: CanvasRenderingContext2D,
  { traceGroup, scale, palette }: WaterfallScene,
  span: number,
  y: number,
): void {
  pen.fillStyle = palette.text;
  for (let at = bisectLeft(traceGroup.event_span, span); traceGroup.event_span[at] === span; at++) {
    const x = xOfTime(scale, traceGroup.event_ns[at]!);
    if (x < -3 || x > scale.width + 3) continue;
    pen.beginPath();
    pen.moveTo(x, y + BAR_TOP + 1);
    pen.lineTo(x + 3.5, y + BAR_TOP + BAR / 2);
    pen.lineTo(x, y + BAR_TOP + BAR - 1);
    pen.lineTo(x - 3.5, y + BAR_TOP + BAR / 2);
    pen.fill();
  }
}

/** The duration next to the bar: right of it, else left of it, else inside. */
function paintLength(
  pen: CanvasRenderingContext2D,
  { traceGroup, scale, palette }: WaterfallScene,
  {
    span,
    from,
    until,
    y,
  }: { readonly span: number; readonly from: number; readonly until: number; readonly y: number },
): void {
  if (until < 0 || from > scale.width) return;
  const text = formatDuration(lengthOf(traceGroup, span));
  const wide = text.length * LETTER + 10;
  pen.font = palette.smallFont;
  pen.textBaseline = 'middle';
  pen.textAlign = 'left';
  const isRight = until + wide < scale.width;
  const isLeft = !isRight && from - wide > 0;
  const x = isRight ? until + 5 : isLeft ? from - wide + 5 : Math.max(from, 0) + 4;
  pen.fillStyle = isRight || isLeft ? palette.muted : palette.onSeries;
  pen.fillText(text, x, y + BAR_TOP + BAR / 2 + 0.5);
}
const LETTER = 6.4;

function paintHead(pen: CanvasRenderingContext2D, scene: WaterfallScene, head: HeadRow, y: number): void {
  const { traceGroup, scale, palette } = scene;
  if (head.kind === 'trace') {
    const part = traceGroup.traces[head.trace];
    const left = Math.max(xOfTime(scale, part?.start_ns ?? 0), 0);
    const right = Math.min(xOfTime(scale, part?.end_ns ?? 0), scale.width);
    pen.fillStyle = palette.edge;
    pen.fillRect(left, y + ROW_HEIGHT / 2 - 1, Math.max(right - left, 1), 2);
    return;
  }
  const left = xOfTime(scale, traceGroup.link_wait_from_ns[head.link]!);
  const right = xOfTime(scale, traceGroup.link_wait_until_ns[head.link]!);
  hatch(pen, scene, { left, right, top: y + BAR_TOP, bottom: y + BAR_TOP + BAR });
  pen.strokeStyle = palette.muted;
  pen.lineWidth = 1;
  pen.strokeRect(left + 0.5, y + BAR_TOP + 0.5, Math.max(right - left - 1, 0), BAR - 1);
  const text = messages.wait(formatDuration(waitOf(traceGroup, head.link)));
  const fits = right + text.length * LETTER + 8 < scale.width;
  pen.font = palette.smallFont;
  pen.textBaseline = 'middle';
  pen.textAlign = fits ? 'left' : 'right';
  pen.fillStyle = palette.text;
  pen.fillText(text, fits ? right + 5 : left - 5, y + BAR_TOP + BAR / 2 + 0.5);
}

/** From the earlier to the later span, if one of them is visible. */
function paintLinks(pen: CanvasRenderingContext2D, scene: WaterfallScene): void {
  const { traceGroup, rows, first, end, scale, palette, scrollTop } = scene;
  if (traceGroup.link_from.length === 0) return;
  const inSight = new Map<number, number>();
  for (let row = first; row < end; row++) inSight.set(rows.rows[row]!, row);
  pen.strokeStyle = palette.accent;
  pen.fillStyle = palette.accent;
  pen.lineWidth = 1;
  pen.setLineDash([2, 2]);
  for (let link = 0; link < traceGroup.link_from.length; link++) {
    const [from, to] = [traceGroup.link_from[link]!, traceGroup.link_to[link]!];
    const [above, below] = [inSight.get(from), inSight.get(to)];
    if (above === undefined && below === undefined) continue;
    const y = (row: number | undefined, span: number, other: number): number =>
      row === undefined ? (span < other ? -10 : scene.height + 10) : row * ROW_HEIGHT - scrollTop + BAR_TOP + BAR / 2;
    const [y0, y1] = [y(above, from, to), y(below, to, from)];
    const x0 = xOfTime(scale, Math.min(traceGroup.end_ns[from]!, traceGroup.start_ns[to]!));
    const x1 = xOfTime(scale, traceGroup.start_ns[to]!);
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x0, y1);
    pen.lineTo(x1, y1);
    pen.stroke();
    pen.fillRect(x1 - 2, y1 - 2, 4, 4);
  }
  pen.setLineDash([]);
}

function paintPlayhead(pen: CanvasRenderingContext2D, scene: WaterfallScene): void {
  if (scene.playhead_ns === null) return;
  const x = xOfTime(scene.scale, scene.playhead_ns);
  if (x < 0 || x > scene.scale.width) return;
  pen.strokeStyle = scene.palette.accent;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(crisp(x, scene.pixelRatio), 0);
  pen.lineTo(crisp(x, scene.pixelRatio), scene.height);
  pen.stroke();
}

/** The axis above: times after the start of the trace group, and the length of each shortened idle time. */
export function paintTraceGroupAxis(
  pen: CanvasRenderingContext2D,
  { scale, from_ns, palette, pixelRatio }: Pick<WaterfallScene, 'scale' | 'from_ns' | 'palette' | 'pixelRatio'>,
  height: number,
): void {
  pen.fillStyle = palette.surface;
  pen.fillRect(0, 0, scale.width, height);
  pen.font = palette.smallFont;
  pen.textBaseline = 'middle';
  pen.textAlign = 'center';
  const taken: { from: number; until: number }[] = [];
  for (const { from_ns: from, until_ns } of scale.places.idle) {
    const [left, right] = [xOfTime(scale, from), xOfTime(scale, until_ns)];
    const text = `⋯ ${formatDuration(until_ns - from)} ⋯`;
    const middle = (left + right) / 2;
    const half = (text.length * LETTER) / 2 + 6;
    if (
      middle < 0 ||
      middle > scale.width ||
      taken.some((one) => middle - half < one.until && middle + half > one.from)
    )
      continue;
    taken.push({ from: middle - half, until: middle + half });
    pen.fillStyle = palette.text;
    pen.fillText(text, middle, height / 2);
  }
  pen.textAlign = 'left';
  for (const { x, after_ns } of traceGroupTicks(scale, from_ns)) {
    const text = after_ns === 0 ? '0' : `+${formatDuration(after_ns)}`;
    pen.strokeStyle = palette.edge;
    pen.lineWidth = 1 / pixelRatio;
    pen.beginPath();
    pen.moveTo(crisp(x, pixelRatio), height - 4);
    pen.lineTo(crisp(x, pixelRatio), height);
    pen.stroke();
    if (x + text.length * LETTER + 4 > scale.width) continue;
    if (taken.some((one) => x < one.until && x + text.length * LETTER + 4 > one.from)) continue;
    pen.fillStyle = palette.muted;
    pen.fillText(text, x + 4, height / 2);
  }
}
