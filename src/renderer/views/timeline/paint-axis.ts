import { type Nanos, nanos } from '../../../model/time.ts';
import { drawAxis, drawAxisLabel, pillPxOf } from '../../draw/canvas/axis.ts';
import { xOf } from '../../draw/canvas/time-scale.ts';
import { datedWithin, formatTime, type TimeFormat } from '../../draw/text/format-time.ts';
import { namedFringe } from '../../draw/timeline/impact-columns.ts';
import type { Scene } from '../../draw/timeline/scene.ts';
import { useFocus } from '../../state/focus.ts';
import { messages } from './messages.ts';

export const AXIS_PX = 20;

/** Ticks, and the pills of onset, playhead and cursor; a wide fringe before the onset has its name. */
export function paintAxis(
  pen: CanvasRenderingContext2D,
  scene: Scene,
  playhead: Nanos | null,
  format: TimeFormat,
): void {
  const { palette, scale } = scene;
  const style = { palette, height: AXIS_PX };
  const { onset, cursor } = useFocus.getState();
  const fringe = namedFringe(scene.impacts, scale);
  const earliest = fringe === null ? null : nanos(fringe);
  const pills = [playhead, cursor, onset, earliest].map((time) => (time === null ? null : xOf(scale, time)));
  const named = datedWithin(scale.width * scale.nsPerPixel, format);
  const name = (time: Nanos) => formatTime(time, named);
  drawAxis(pen, scale, scene.ticks, { ...style, pills, pillPx: pillPxOf(name(scale.startNs)) });
  const label = (at: Nanos | null, text: string, color: string): void => {
    if (at !== null) drawAxisLabel(pen, scale, at, { ...style, text, color });
  };
  label(earliest, messages.earliestOnset, palette.edge);
  label(onset, messages.onset, palette.impactEdge);
  if (playhead !== null && playhead !== onset) label(playhead, name(playhead), palette.accent);
  if (cursor !== null) label(cursor, name(cursor), palette.muted);
}
