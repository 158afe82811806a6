import { memo, useEffect, useRef } from 'react';
import type { JobHeat } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { sizeCanvas } from '../../draw/canvas/size-canvas.ts';
import { type TimeScale, timeScale, xOf } from '../../draw/canvas/time-scale.ts';
import { type Palette, readPalette } from '../../draw/canvas/tokens.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { useTheme } from '../../state/preferences.ts';
import { bandText } from './job-text.ts';
import { messages } from './messages.ts';

interface JobBandProps {
  readonly heat: JobHeat;
  readonly window: TimeWindow;
  readonly width: number;
}

const LANE_PX = 16;
/** A time within it is drawn at least as wide. */
const LEAST_PX = 2;

/** What happened to the job as a whole: collective operations and stalls, restarts and checkpoints. */
export const JobBand = memo(function JobBand({ heat, window, width }: JobBandProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme has a new palette
  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    if (!pen || !canvas.current) return;
    sizeCanvas(canvas.current, width, 2 * LANE_PX, devicePixelRatio);
    pen.clearRect(0, 0, width, 2 * LANE_PX);
    const scale = timeScale(window.startNs, window.endNs, width);
    drawCollectives(pen, { heat, scale, width }, readPalette(document.documentElement));
    drawMarks(pen, { heat, scale, width }, readPalette(document.documentElement));
  }, [heat, window, width, theme]);
  return (
    <div className="jobs-band" role="img" aria-label={bandText(heat, window)}>
      <div className="jobs-band-labels muted">
        <span className="ellipsis">
          {heat.measures.includes('wait') ? messages.band.collectives : messages.band.none}
        </span>
        <span className="ellipsis">{messages.band.marks}</span>
      </div>
      <canvas ref={canvas} />
    </div>
  );
});

interface Drawn {
  readonly heat: JobHeat;
  readonly scale: TimeScale;
  readonly width: number;
}

/** Bars as tall as the operations of their bucket; a stall over the whole height. */
function drawCollectives(pen: CanvasRenderingContext2D, { heat, scale, width }: Drawn, palette: Palette): void {
  const most = heat.operations.reduce((highest, count) => Math.max(highest, count), 0);
  const step = width / heat.buckets;
  pen.fillStyle = palette.layer.service;
  for (const [bucket, count] of heat.operations.entries()) {
    if (count === 0) continue;
    const tall = Math.max(LEAST_PX, (count / most) * (LANE_PX - 2));
    pen.fillRect(bucket * step, LANE_PX - 1 - tall, Math.max(1, step - 0.5), tall);
  }
  pen.fillStyle = palette.severity[0];
  for (const { from_ns, to_ns } of heat.stalls) {
    const [left, right] = [xOf(scale, nanos(from_ns)), xOf(scale, nanos(to_ns))];
    if (right < 0 || left > width) continue;
    const from = Math.max(0, left);
    pen.fillRect(from, 1, Math.max(LEAST_PX, Math.min(width, right) - from), LANE_PX - 3);
  }
}

/** Checkpoints as bars below, restarts as triangles above. */
function drawMarks(pen: CanvasRenderingContext2D, { heat, scale, width }: Drawn, palette: Palette): void {
  const last = new Map<string, number>();
  for (const { kind, start_ns, end_ns, failed } of heat.marks) {
    const x = xOf(scale, nanos(start_ns));
    const right = xOf(scale, nanos(end_ns));
    if (right < 0 || x > width) continue;
    // Thousands of ranks save at the same time.
    const drawn = last.get(kind);
    if (drawn !== undefined && right - drawn < 1) continue;
    last.set(kind, Math.max(x, right));
    if (kind === 'checkpoint') {
      pen.fillStyle = failed ? palette.severity[0] : palette.accent;
      pen.fillRect(x, LANE_PX + 9, Math.max(LEAST_PX, right - x), LANE_PX - 11);
      continue;
    }
    pen.fillStyle = palette.severity[1];
    pen.beginPath();
    pen.moveTo(x, LANE_PX + 9);
    pen.lineTo(x - 4, LANE_PX + 1);
    pen.lineTo(x + 4, LANE_PX + 1);
    pen.fill();
  }
}
