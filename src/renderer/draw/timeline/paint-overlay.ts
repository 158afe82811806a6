import type { Nanos } from '../../../model/time.ts';
import { crisp, xOf } from '../canvas/time-scale.ts';
import { BADGE } from './chain-arrows.ts';
import { drawNoteFlags, type NoteFlag } from './note-flags.ts';
import type { Scene } from './scene.ts';

export interface HoverMark {
  readonly x: number;
  readonly y: number;
  /** Drawn as a ring around it. */
  readonly ring: boolean;
  /** Position without the clock correction; null if the clock is not corrected. */
  readonly ghostX: number | null;
}

export interface Overlay {
  readonly playhead: Nanos | null;
  /** The mark under the mouse, and the selected one. */
  readonly hovered: HoverMark | null;
  readonly selected: { readonly x: number; readonly y: number } | null;
  readonly flags: readonly NoteFlag[];
  /** The brushed window. */
  readonly brush: { readonly startNs: bigint; readonly endNs: bigint } | null;
}

/** Marks over the lanes, so that the lanes need no repaint. Marks that follow the mouse are painted elsewhere. */
export function paintOverlay(pen: CanvasRenderingContext2D, scene: Scene, overlay: Overlay): void {
  const { palette } = scene;
  if (overlay.brush) drawBrush(pen, scene, overlay.brush);
  drawNoteFlags(pen, scene, overlay.flags);
  if (overlay.playhead !== null) drawVertical(pen, scene, overlay.playhead, palette.accent);
  if (overlay.selected) drawRing(pen, overlay.selected, palette.accent);
  if (overlay.hovered?.ring) drawRing(pen, overlay.hovered, palette.text);
  if (overlay.hovered) drawGhost(pen, scene, overlay.hovered);
}

function drawBrush(
  pen: CanvasRenderingContext2D,
  { scale, palette, height }: Scene,
  { startNs, endNs }: NonNullable<Overlay['brush']>,
): void {
  const left = xOf(scale, startNs);
  const width = Math.max(1, xOf(scale, endNs) - left);
  pen.fillStyle = palette.selection;
  pen.fillRect(left, 0, width, height);
  pen.fillStyle = palette.accent;
  pen.fillRect(left, 0, 1, height);
  pen.fillRect(left + width - 1, 0, 1, height);
}

/** Interrupted at the badges, so that their numbers stay readable. */
function drawVertical(pen: CanvasRenderingContext2D, { scale, height, marks }: Scene, at: Nanos, color: string): void {
  const x = xOf(scale, at);
  if (x < 0 || x > scale.width) return;
  const line = crisp(x, scale.pixelRatio);
  pen.strokeStyle = color;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(line, 0);
  for (const mark of marks) {
    if (Math.abs(mark.x - x) > BADGE) continue;
    pen.lineTo(line, mark.y - BADGE);
    pen.moveTo(line, mark.y + BADGE);
  }
  pen.lineTo(line, height);
  pen.stroke();
}

function drawRing(pen: CanvasRenderingContext2D, at: { readonly x: number; readonly y: number }, color: string): void {
  pen.strokeStyle = color;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(at.x, at.y, 9, 0, Math.PI * 2);
  pen.stroke();
}

const GHOST_PX = 7;

/** A tick at the raw time and a line to the corrected position. */
function drawGhost(pen: CanvasRenderingContext2D, { palette, scale }: Scene, { x, y, ghostX }: HoverMark): void {
  if (ghostX === null) return;
  const at = crisp(Math.min(Math.max(ghostX, 0), scale.width), scale.pixelRatio);
  pen.strokeStyle = palette.text;
  pen.lineWidth = 1;
  pen.setLineDash([2, 2]);
  pen.beginPath();
  pen.moveTo(at, y);
  pen.lineTo(x, y);
  pen.stroke();
  pen.setLineDash([]);
  pen.beginPath();
  pen.moveTo(at, y - GHOST_PX);
  pen.lineTo(at, y + GHOST_PX);
  pen.stroke();
}
