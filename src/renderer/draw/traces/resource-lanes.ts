import { bisectRight } from '../../../base/bisect.ts';
import type { ResourceLane } from '../../../model/contract/index.ts';
import type { Palette } from '../canvas/tokens.ts';
import { type TraceGroupScale, timeAtX, xOfTime } from './trace-group-scale.ts';

export const LANE_HEIGHT = 26;
const PAD = 4;
/** Samples nearer than this are a line alone. */
const APART_PX = 12;
const DOT_PX = 1.5;

interface ResourceScene {
  /** Only those in sight: a frame costs what it shows. */
  readonly lanes: readonly ResourceLane[];
  /** Where the first of them begins; at or above the upper edge. */
  readonly top: number;
  readonly height: number;
  readonly scale: TraceGroupScale;
  /** From the origin of the trace group to the time that the lanes count from. */
  readonly from_ns: number;
  readonly palette: Palette;
}

/** Samples of each lane as steps: a value holds until the next. */
export function paintResources(pen: CanvasRenderingContext2D, scene: ResourceScene): void {
  const { lanes, scale, palette, height } = scene;
  pen.fillStyle = palette.surface;
  pen.fillRect(0, 0, scale.width, height);
  for (const [at, lane] of lanes.entries()) {
    const top = scene.top + at * LANE_HEIGHT;
    pen.fillStyle = palette.hairline;
    pen.fillRect(0, top + LANE_HEIGHT - 1, scale.width, 1);
    if (lane.values.length > 0) paintSamples(pen, scene, lane, top);
  }
}

function paintSamples(
  pen: CanvasRenderingContext2D,
  { scale, from_ns, palette }: ResourceScene,
  lane: ResourceLane,
  top: number,
): void {
  const [low, high] = rangeOf(lane);
  const room = LANE_HEIGHT - 2 * PAD;
  const yOf = (at: number): number => top + PAD + room * (1 - (lane.values[at]! - low) / (high - low));
  const xOf = (at: number): number => xOfTime(scale, from_ns + lane.times_ns[at]!);
  const { first, end } = inSight(lane, scale, from_ns);
  const dots: number[] = [];
  pen.strokeStyle = palette.line;
  pen.lineWidth = 1.25;
  pen.beginPath();
  let x = xOf(first);
  let y = yOf(first);
  let [upper, lower] = [y, y];
  pen.moveTo(x, y);
  dots.push(x, y);
  for (let at = first + 1; at < end; at++) {
    const [nextX, nextY] = [xOf(at), yOf(at)];
    const isSameColumn = Math.floor(nextX) === Math.floor(x);
    if (nextX - x >= APART_PX) dots.push(nextX, nextY);
    if (!isSameColumn) {
      pen.lineTo(nextX, y);
      [upper, lower] = [nextY, nextY];
      pen.lineTo(nextX, nextY);
    } else if (nextY < upper || nextY > lower) {
      // In one column of pixels only what reaches further up or down is seen.
      [upper, lower] = [Math.min(upper, nextY), Math.max(lower, nextY)];
      pen.lineTo(nextX, nextY);
    }
    [x, y] = [nextX, nextY];
  }
  // The last one holds as far as nothing else is known.
  pen.lineTo(Math.max(x, scale.width), y);
  pen.stroke();
  pen.fillStyle = palette.line;
  for (let at = 0; at < dots.length; at += 2) {
    pen.beginPath();
    pen.arc(dots[at]!, dots[at + 1]!, DOT_PX, 0, 2 * Math.PI);
    pen.fill();
  }
}

/** The samples on screen, with the one that holds as it begins. */
function inSight({ times_ns }: ResourceLane, scale: TraceGroupScale, from_ns: number) {
  const first = Math.max(0, bisectRight(times_ns, timeAtX(scale, 0) - from_ns) - 1);
  return { first, end: Math.max(first + 1, bisectRight(times_ns, timeAtX(scale, scale.width) - from_ns)) };
}

/** From nothing, or the lowest value below it, to the highest value; a share to 100 % at least. */
export function rangeOf({ unit, values }: ResourceLane): readonly [number, number] {
  let [low, high] = [0, unit === '%' ? 100 : 0];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high > low ? high : low + 1];
}

/** The value when a time begins, and the highest and lowest during it. */
export function figuresOf({ times_ns, values }: ResourceLane, length_ns: number) {
  const before = times_ns.findLastIndex((time) => time <= 0);
  const within = values.filter((_, at) => times_ns[at]! >= 0 && times_ns[at]! <= length_ns);
  const all = before < 0 ? within : [values[before]!, ...within];
  return {
    at: before < 0 ? null : values[before]!,
    /** How long before that it was read; nanoseconds. */
    age_ns: before < 0 ? null : -times_ns[before]!,
    low: all.length === 0 ? null : Math.min(...all),
    high: all.length === 0 ? null : Math.max(...all),
    samples: within.length,
  };
}
