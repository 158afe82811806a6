import type { ResourceLane } from '../../../model/contract/index.ts';
import type { Palette } from '../canvas/tokens.ts';
import { type TraceGroupScale, xOfTime } from './trace-group-scale.ts';

export const LANE_HEIGHT = 26;
const PAD = 4;
/** Samples nearer than this are a line alone. */
const APART_PX = 12;
const DOT_PX = 1.5;

interface ResourceScene {
  readonly lanes: readonly ResourceLane[];
  readonly scale: TraceGroupScale;
  /** From the origin of the trace group to the time that the lanes count from. */
  readonly from_ns: number;
  readonly palette: Palette;
}

/** Samples of each lane as steps: a value holds until the next. */
export function paintResources(pen: CanvasRenderingContext2D, { lanes, scale, from_ns, palette }: ResourceScene): void {
  pen.fillStyle = palette.surface;
  pen.fillRect(0, 0, scale.width, lanes.length * LANE_HEIGHT);
  for (const [at, lane] of lanes.entries()) {
    const top = at * LANE_HEIGHT;
    pen.fillStyle = palette.hairline;
    pen.fillRect(0, top + LANE_HEIGHT - 1, scale.width, 1);
    const [low, high] = rangeOf(lane);
    const room = LANE_HEIGHT - 2 * PAD;
    const yOf = (value: number): number => top + PAD + room * (1 - (value - low) / (high - low));
    const xs = Float64Array.from(lane.times_ns, (time) => xOfTime(scale, from_ns + time));
    pen.strokeStyle = palette.line;
    pen.lineWidth = 1.25;
    pen.beginPath();
    for (const [i, x] of xs.entries()) {
      const y = yOf(lane.values[i]!);
      if (i === 0) pen.moveTo(x, y);
      else {
        pen.lineTo(x, yOf(lane.values[i - 1]!));
        pen.lineTo(x, y);
      }
    }
    // The last one holds as far as nothing else is known.
    if (xs.length > 0) pen.lineTo(Math.max(xs.at(-1)!, scale.width), yOf(lane.values.at(-1)!));
    pen.stroke();
    pen.fillStyle = palette.line;
    for (const [i, x] of xs.entries()) {
      if (i > 0 && x - xs[i - 1]! < APART_PX) continue;
      pen.beginPath();
      pen.arc(x, yOf(lane.values[i]!), DOT_PX, 0, 2 * Math.PI);
      pen.fill();
    }
  }
}

/** A share has a scale of its own; others reach from nothing to their highest value. */
export function rangeOf({ unit, values }: ResourceLane): readonly [number, number] {
  if (unit === '%') return [0, 100];
  const high = values.reduce((most, value) => Math.max(most, value), 0);
  return [Math.min(0, ...values), high > 0 ? high : 1];
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
