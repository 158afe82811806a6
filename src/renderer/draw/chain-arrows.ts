import { type TimeScale, xOf } from './time-scale.ts';
import { layerColor, type Palette } from './tokens.ts';

/** One step as it stands on screen; made once per incident, moved on every frame. */
export interface ChainMark {
  readonly order: number;
  readonly timeNs: bigint;
  readonly layer: string;
  readonly lane: string;
  readonly probability: number | null;
  readonly undecided: boolean;
  x: number;
  y: number;
  /** Beyond the left (-1) or right (1) edge of the window, and held there. */
  beyond: -1 | 0 | 1;
}

export type ArrowStyle = 'solid' | 'dashed' | 'dotted';

/** Dotted also where the clocks cannot tell which of the two came first, however probable the link. */
export function arrowStyle(probability: number | null, undecided: boolean): ArrowStyle {
  if (undecided || probability === null || probability < 0.4) return 'dotted';
  return probability >= 0.8 ? 'solid' : 'dashed';
}

export const BADGE = 8;
const ASIDE = 15;
const EDGE = 12;

/** Puts each badge beside its event; a second one in the same place goes to the right of it. */
export function placeMarks(marks: readonly ChainMark[], scale: TimeScale, yOfMark: (mark: ChainMark) => number): void {
  for (const mark of marks) {
    const at = xOf(scale, mark.timeNs);
    mark.beyond = at < 0 ? -1 : at > scale.width ? 1 : 0;
    mark.y = yOfMark(mark);
    mark.x = Math.min(Math.max(at - ASIDE, EDGE), scale.width - EDGE);
    let left = true;
    for (const other of marks) {
      if (other === mark) break;
      if (Math.abs(other.y - mark.y) > 1 || Math.abs(other.x - mark.x) >= 2 * BADGE + 2) continue;
      mark.x = left ? Math.max(at + ASIDE, other.x + 2 * BADGE + 2) : other.x + 2 * BADGE + 2;
      left = false;
    }
  }
}

const dashes: Readonly<Record<ArrowStyle, number[]>> = { solid: [], dashed: [6, 4], dotted: [1.5, 3.5] };

export function drawChain(pen: CanvasRenderingContext2D, marks: readonly ChainMark[], palette: Palette, selected: number): void {
  for (let at = 1; at < marks.length; at++) {
    drawArrow(pen, marks[at - 1] as ChainMark, marks[at] as ChainMark, palette);
  }
  for (const mark of marks) drawBadge(pen, mark, palette, mark.order === selected);
}

/**
 * Down the column of the cause, then along the lane of the effect, so that an arrow runs in the gutters left
 * of the marks; when both share a column it steps aside just above the badge it points at.
 */
export function drawArrow(pen: CanvasRenderingContext2D, from: ChainMark, to: ChainMark, palette: Palette): void {
  const style = arrowStyle(to.probability, to.undecided);
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const sameRow = Math.abs(dy) < 1;
  if (sameRow && Math.abs(dx) < 2 * BADGE + 6) return;
  pen.strokeStyle = palette.text;
  pen.fillStyle = palette.text;
  pen.lineWidth = 1.25;
  pen.setLineDash(dashes[style]);
  pen.beginPath();
  const down = Math.sign(dy);
  if (sameRow) {
    const side = Math.sign(dx);
    pen.moveTo(from.x + side * BADGE, from.y);
    pen.lineTo(to.x - side * (BADGE + HEAD), to.y);
    finishArrow(pen, { x: to.x - side * BADGE, y: to.y, towardX: side, towardY: 0, hollow: style === 'dotted' }, palette);
    return;
  }
  pen.moveTo(from.x, from.y + down * BADGE);
  if (dx > BADGE + HEAD + 4) {
    pen.lineTo(from.x, to.y);
    pen.lineTo(to.x - BADGE - HEAD, to.y);
    finishArrow(pen, { x: to.x - BADGE, y: to.y, towardX: 1, towardY: 0, hollow: style === 'dotted' }, palette);
    return;
  }
  const jog = to.y - down * (BADGE + HEAD + 3);
  if (Math.abs(dx) > 0.5) {
    pen.lineTo(from.x, jog);
    pen.lineTo(to.x, jog);
  }
  pen.lineTo(to.x, to.y - down * (BADGE + HEAD));
  finishArrow(pen, { x: to.x, y: to.y - down * BADGE, towardX: 0, towardY: down, hollow: style === 'dotted' }, palette);
}

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
  pen.beginPath();
  pen.arc(mark.x, mark.y, BADGE, 0, Math.PI * 2);
  pen.fillStyle = selected ? palette.text : palette.surface;
  pen.fill();
  pen.strokeStyle = layerColor(palette, mark.layer);
  pen.lineWidth = 1.75;
  if (mark.beyond !== 0) pen.setLineDash([3, 2]);
  pen.stroke();
  pen.setLineDash([]);
  pen.font = palette.badgeFont;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillStyle = selected ? palette.surface : palette.text;
  pen.fillText(String(mark.order), mark.x, mark.y + 0.5);
}

export function hitMark(marks: readonly ChainMark[], x: number, y: number): ChainMark | undefined {
  return marks.find((mark) => Math.hypot(mark.x - x, mark.y - y) <= BADGE + 2);
}
