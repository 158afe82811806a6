import { type TimeScale, xOf } from '../canvas/time-scale.ts';
import { layerColor, type Palette } from '../canvas/tokens.ts';

/** A step of the chain on screen; created once per incident, moved on every frame. */
export interface ChainMark {
  readonly order: number;
  readonly timeNs: bigint;
  readonly layer: string;
  readonly lane: string;
  /** Index of the mark where the arrow starts; null at the start of the chain. */
  readonly cause: number | null;
  readonly probability: number | null;
  readonly undecided: boolean;
  /** Centre of the badge. */
  x: number;
  y: number;
  /** Position of the event under the badge. */
  eventX: number;
  eventY: number;
  /** Outside the left (-1) or right (1) edge of the window; the badge stays at the edge. */
  beyond: -1 | 0 | 1;
}

export type ArrowStyle = 'solid' | 'dashed' | 'dotted';

/** Also dotted if clock uncertainty leaves the order open, however probable the link is. */
export function arrowStyle(probability: number | null, undecided: boolean): ArrowStyle {
  if (undecided || probability === null || probability < 0.4) return 'dotted';
  return probability >= 0.8 ? 'solid' : 'dashed';
}

export const BADGE = 8;
const EDGE = 12;

export interface MarkPlace {
  readonly badgeY: number;
  readonly eventY: number;
}

/** Places each badge over its event; overlapping badges move right, with a line to their event. */
export function placeMarks(
  marks: readonly ChainMark[],
  scale: TimeScale,
  placeOf: (mark: ChainMark) => MarkPlace,
): void {
  for (const mark of marks) {
    const at = xOf(scale, mark.timeNs);
    const { badgeY, eventY } = placeOf(mark);
    mark.beyond = at < 0 ? -1 : at > scale.width ? 1 : 0;
    mark.eventX = at;
    mark.eventY = eventY;
    mark.y = badgeY;
    mark.x = Math.min(Math.max(at, EDGE), scale.width - EDGE);
    for (const other of marks) {
      if (other === mark) break;
      const covers = Math.abs(other.y - mark.y) < 2 * BADGE && Math.abs(other.x - mark.x) < 2 * BADGE + 3;
      // At the right edge there is room on the left only.
      if (covers) mark.x = other.x + (mark.beyond > 0 ? -1 : 1) * (2 * BADGE + 3);
    }
  }
}

const dashes: Readonly<Record<ArrowStyle, number[]>> = { solid: [], dashed: [6, 4], dotted: [1.5, 3.5] };

export function drawChain(
  pen: CanvasRenderingContext2D,
  marks: readonly ChainMark[],
  palette: Palette,
  selected: number,
): void {
  for (const mark of marks) {
    const cause = mark.cause === null ? undefined : marks[mark.cause];
    // Both beyond an edge: an arrow between them would show them where they are not.
    if (cause && (cause.beyond === 0 || mark.beyond === 0)) drawArrow(pen, cause, mark, palette);
  }
  for (const mark of marks) if (!Number.isNaN(mark.y)) drawBadge(pen, mark, palette, mark.order === selected);
}

/**
 * From the event of the cause down its column, then along the lane of the effect to its badge, so that an arrow stays in
 * its two lanes. If both share a column, it steps aside just before the badge.
 */
export function drawArrow(pen: CanvasRenderingContext2D, from: ChainMark, to: ChainMark, palette: Palette): void {
  const style = arrowStyle(to.probability, to.undecided);
  const hollow = style === 'dotted';
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  if (Number.isNaN(dy)) return;
  const sameRow = Math.abs(dy) < 1;
  if (sameRow && Math.abs(dx) < 2 * BADGE + 2 * HEAD) return;
  pen.strokeStyle = palette.text;
  pen.fillStyle = palette.text;
  pen.lineWidth = 1.25;
  pen.setLineDash(dashes[style]);
  pen.beginPath();
  if (sameRow) {
    const side = Math.sign(dx);
    pen.moveTo(from.x + side * BADGE, from.y);
    pen.lineTo(to.x - side * (BADGE + HEAD), to.y);
    finishArrow(pen, { x: to.x - side * BADGE, y: to.y, towardX: side, towardY: 0, hollow }, palette);
    return;
  }
  const down = Math.sign(dy);
  const startX = from.beyond === 0 && down > 0 ? from.eventX : from.x;
  const startY = from.beyond === 0 && down > 0 ? from.eventY + GLYPH : from.y + down * BADGE;
  pen.moveTo(startX, startY);
  if (to.x - startX > BADGE + HEAD + 4) {
    pen.lineTo(startX, to.y);
    pen.lineTo(to.x - BADGE - HEAD, to.y);
    finishArrow(pen, { x: to.x - BADGE, y: to.y, towardX: 1, towardY: 0, hollow }, palette);
    return;
  }
  const entry = down > 0 || to.beyond !== 0 ? to.y - down * BADGE : to.eventY + GLYPH;
  if (Math.abs(to.x - startX) > 0.5) {
    const jog = entry - down * (HEAD + 3);
    pen.lineTo(startX, jog);
    pen.lineTo(to.x, jog);
  }
  pen.lineTo(to.x, entry - down * HEAD);
  finishArrow(pen, { x: to.x, y: entry, towardX: 0, towardY: down, hollow }, palette);
}

const GLYPH = 7;
const HEAD = 5;

interface Head {
  readonly x: number;
  readonly y: number;
  readonly towardX: number;
  readonly towardY: number;
  readonly hollow: boolean;
}

function finishArrow(pen: CanvasRenderingContext2D, { x, y, towardX, towardY, hollow }: Head, palette: Palette): void {
  pen.stroke();
  pen.setLineDash([]);
  const half = HEAD * 0.7;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x - towardX * HEAD + towardY * half, y - towardY * HEAD + towardX * half);
  pen.lineTo(x - towardX * HEAD - towardY * half, y - towardY * HEAD - towardX * half);
  pen.closePath();
  if (hollow) {
    pen.fillStyle = palette.surface;
    pen.fill();
    pen.stroke();
  } else {
    pen.fill();
  }
}

function drawBadge(pen: CanvasRenderingContext2D, mark: ChainMark, palette: Palette, selected: boolean): void {
  if (mark.beyond === 0 && mark.eventY - mark.y > BADGE) {
    pen.strokeStyle = layerColor(palette, mark.layer);
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(mark.x, mark.y + BADGE);
    pen.lineTo(mark.eventX, mark.eventY - GLYPH);
    pen.stroke();
  }
  pen.beginPath();
  if (mark.beyond === 0) pen.arc(mark.x, mark.y, BADGE, 0, Math.PI * 2);
  else traceChevron(pen, mark);
  pen.fillStyle = selected ? palette.text : palette.surface;
  pen.fill();
  pen.strokeStyle = layerColor(palette, mark.layer);
  pen.lineWidth = 1.75;
  pen.stroke();
  pen.font = palette.badgeFont;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillStyle = selected ? palette.surface : palette.text;
  pen.fillText(String(mark.order), mark.x, mark.y + 0.5);
}

/** A tag that points out of the window: its event is not here. */
function traceChevron(pen: CanvasRenderingContext2D, { x, y, beyond }: ChainMark): void {
  const back = x - beyond * BADGE;
  pen.moveTo(back, y - BADGE);
  pen.lineTo(x + beyond * (BADGE - 3), y - BADGE);
  pen.lineTo(x + beyond * (BADGE + 4), y);
  pen.lineTo(x + beyond * (BADGE - 3), y + BADGE);
  pen.lineTo(back, y + BADGE);
  pen.closePath();
}

export function hitMark(marks: readonly ChainMark[], x: number, y: number): ChainMark | undefined {
  return marks.find((mark) => Math.hypot(mark.x - x, mark.y - y) <= BADGE + 2);
}
