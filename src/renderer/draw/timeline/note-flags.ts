import { crisp, xOf } from '../canvas/time-scale.ts';
import type { Scene } from './scene.ts';

/** A note at an instant or a window, drawn over the lanes. */
export interface NoteFlag {
  readonly letter: string;
  readonly at: bigint;
  /** null: an instant. */
  readonly until: bigint | null;
  /** As severities of events; null: none was stated. */
  readonly severity: number | null;
}

const FLAG_WIDTH = 14;
const FLAG_HEIGHT = 13;

/** A dotted line with a lettered flag at its top; a window has a bar from its start to its end. */
export function drawNoteFlags(pen: CanvasRenderingContext2D, scene: Scene, flags: readonly NoteFlag[]): void {
  const { scale, palette, height } = scene;
  pen.font = palette.badgeFont;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  for (const { letter, at, until, severity } of flags) {
    const color = severity === null ? palette.accent : (palette.severity[severity] ?? palette.accent);
    const left = xOf(scale, at);
    const right = until === null ? left : xOf(scale, until);
    if (right < 0 || left > scale.width) continue;
    pen.fillStyle = color;
    if (until !== null) pen.fillRect(Math.max(0, left), 0, Math.min(scale.width, right) - Math.max(0, left), 3);
    const x = Math.max(0, left);
    if (left >= 0) drawStaff(pen, crisp(left, scale.pixelRatio), height, color);
    pen.fillRect(x, 0, FLAG_WIDTH, FLAG_HEIGHT);
    pen.fillStyle = palette.surface;
    pen.fillText(letter, x + FLAG_WIDTH / 2, FLAG_HEIGHT / 2 + 0.5);
  }
}

function drawStaff(pen: CanvasRenderingContext2D, x: number, height: number, color: string): void {
  pen.strokeStyle = color;
  pen.lineWidth = 1;
  pen.setLineDash([2, 3]);
  pen.beginPath();
  pen.moveTo(x, 0);
  pen.lineTo(x, height);
  pen.stroke();
  pen.setLineDash([]);
}
