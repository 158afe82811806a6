import { type Nanos, nanos } from '../../../model/time.ts';
import { DAY_NS, decimalsFor, formatDate, formatTime, type TimeFormat } from '../text/format-time.ts';
import { crisp, type TimeScale, xOf } from './time-scale.ts';
import type { Palette } from './tokens.ts';

export interface Tick {
  readonly x: number;
  readonly label: string;
}

const stepsNs = [
  1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9, 2e9, 5e9, 10e9, 15e9,
  30e9, 60e9, 120e9, 300e9, 600e9, 900e9, 1800e9, 3600e9, 7200e9, 10800e9, 21600e9, 43200e9, 86400e9, 172800e9,
  604800e9,
];
/** Beyond weeks, steps are calendar months, so that ticks fall on the first of a month. */
const stepsMonths = [1, 3, 6, 12, 24, 60, 120, 600, 1200];
const MONTH_NS = 30.44 * 86400e9;

/** The finest round step with ticks at least `minimumPx` apart; whole weeks beyond the longest step. */
export function tickStep(nsPerPixel: number, minimumPx: number): number {
  const longest = stepsNs.at(-1)!;
  return (
    stepsNs.find((step) => step / nsPerPixel >= minimumPx) ?? Math.ceil((minimumPx * nsPerPixel) / longest) * longest
  );
}

const TICK_PX = 96;

/** Ticks at round instants of the displayed clock: UTC, local time, or offset from the onset. */
export function axisTicks(scale: TimeScale, format: TimeFormat): readonly Tick[] {
  const step = tickStep(scale.nsPerPixel, TICK_PX);
  if (step > stepsNs.at(-1)! && format.mode !== 'relative') return monthTicks(scale, format);
  const stepNs = BigInt(step);
  const origin = clockOrigin(format, scale.startNs);
  const distance = scale.startNs - origin;
  let index = distance / stepNs;
  if (distance > 0n && distance % stepNs !== 0n) index += 1n;
  const ticks: Tick[] = [];
  for (;;) {
    const time = nanos(origin + index * stepNs);
    const x = xOf(scale, time);
    if (x > scale.width) return ticks;
    // With steps of a day, the time of day never changes, so the ticks show dates.
    const dated = step >= DAY_NS && format.mode !== 'relative';
    ticks.push({ x, label: dated ? formatDate(time, format) : formatTime(time, format, decimalsFor(step)) });
    index += 1n;
  }
}

function monthTicks(scale: TimeScale, format: TimeFormat): readonly Tick[] {
  const months = stepsMonths.find((step) => (step * MONTH_NS) / scale.nsPerPixel >= TICK_PX) ?? stepsMonths.at(-1)!;
  const start = new Date(Number(scale.startNs / 1_000_000n));
  const first = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / months) * months;
  const ticks: Tick[] = [];
  for (let month = first; ; month += months) {
    const year = Math.floor(month / 12);
    const instant = format.mode === 'utc' ? Date.UTC(year, month % 12) : new Date(year, month % 12).getTime();
    const time = nanos(BigInt(instant) * 1_000_000n);
    const x = xOf(scale, time);
    if (x > scale.width) return ticks;
    if (x >= 0) ticks.push({ x, label: formatDate(time, format).slice(0, months % 12 === 0 ? 4 : 7) });
  }
}

function clockOrigin(format: TimeFormat, near: Nanos): Nanos {
  if (format.mode === 'relative') return format.originNs;
  if (format.mode === 'utc') return nanos(0n);
  const minutes = new Date(Number(near / 1_000_000n)).getTimezoneOffset();
  return nanos(BigInt(minutes) * 60_000_000_000n);
}

export function drawAxis(
  pen: CanvasRenderingContext2D,
  scale: TimeScale,
  ticks: readonly Tick[],
  style: AxisStyle & AxisPills,
): void {
  const { palette, height } = style;
  pen.fillStyle = palette.surface;
  pen.fillRect(0, 0, scale.width, height);
  pen.strokeStyle = palette.edge;
  pen.lineWidth = 1 / scale.pixelRatio;
  pen.beginPath();
  for (const tick of ticks) {
    const x = crisp(tick.x, scale.pixelRatio);
    pen.moveTo(x, height - 4);
    pen.lineTo(x, height);
  }
  pen.stroke();
  pen.font = palette.smallFont;
  pen.fillStyle = palette.muted;
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  for (const tick of ticks) {
    const right = tick.x + 4 + tick.label.length * LETTER_PX;
    const hidden = style.pills.some((x) => x !== null && x + style.pillPx > tick.x && x - style.pillPx < right);
    if (!hidden) pen.fillText(tick.label, tick.x + 4, height / 2);
  }
}

export interface AxisStyle {
  readonly palette: Palette;
  readonly height: number;
}

/** Positions of pills: a label half under a pill could be misread as another time. */
export interface AxisPills {
  readonly pills: readonly (number | null)[];
  /** Half the width of a pill. */
  readonly pillPx: number;
}

const LETTER_PX = 6.4;
export const pillPxOf = (text: string): number => (text.length * LETTER_PX) / 2 + 4;

/** Faint vertical lines under the lanes, so that a mark far down can be read against the axis. */
export function drawGrid(
  pen: CanvasRenderingContext2D,
  scale: TimeScale,
  ticks: readonly Tick[],
  style: AxisStyle,
): void {
  pen.strokeStyle = style.palette.hairline;
  pen.lineWidth = 1 / scale.pixelRatio;
  pen.beginPath();
  for (const tick of ticks) {
    const x = crisp(tick.x, scale.pixelRatio);
    pen.moveTo(x, 0);
    pen.lineTo(x, style.height);
  }
  pen.stroke();
}

/** A pill on the axis that labels an instant: the onset, the playhead. */
export function drawAxisLabel(pen: CanvasRenderingContext2D, scale: TimeScale, at: Nanos, label: AxisLabel): void {
  const x = xOf(scale, at);
  if (x < -1 || x > scale.width + 1) return;
  pen.font = label.palette.smallFont;
  const width = pen.measureText(label.text).width + 8;
  const left = Math.min(Math.max(x - width / 2, 0), scale.width - width);
  pen.fillStyle = label.palette.surface;
  pen.fillRect(left, 2, width, label.height - 4);
  pen.strokeStyle = label.color;
  pen.lineWidth = 1;
  pen.strokeRect(Math.floor(left) + 0.5, 2.5, Math.floor(width), label.height - 5);
  pen.fillStyle = label.palette.text;
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  pen.fillText(label.text, left + 4, label.height / 2);
}

export interface AxisLabel extends AxisStyle {
  readonly text: string;
  readonly color: string;
}
