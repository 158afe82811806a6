import type { Nanos } from '../../../model/time.ts';
import { messages } from '../messages.ts';
import { formatValue } from '../text/format-value.ts';
import { bandsText, logsText, NOT_RECORDED } from './lane-text.ts';
import { valueAt } from './metric-line.ts';
import type { LaneRow } from './row-layout.ts';
import { type LaneEntry, type Scene, silenceAt } from './scene.ts';

/** Text of a lane at an instant: a value with its unit, a state, a count; '' outside of the loaded data. */
export function valueText(row: LaneRow, entry: LaneEntry | undefined, at: Nanos): string {
  if (!entry) return '';
  const { data, shape } = entry;
  const bucket = Math.floor(Number(at - entry.startNs) / entry.bucketNs);
  switch (data.kind) {
    case 'metric': {
      if (!shape || bucket < 0 || bucket >= data.last.length) return '';
      const value = valueAt(data, bucket, shape.gapBuckets);
      return Number.isNaN(value) ? NO_DATA : formatValue(value, row.lane.unit);
    }
    case 'bands':
      return bandsText(row.lane, data, Number(at - entry.startNs) / 1e9, entry.bucketNs / 1e9);
    case 'logs':
      return logsText(data, bucket, bucket);
    default:
      return '';
  }
}

const NO_DATA = messages.noData;
const FEED_DOWN = messages.feedDown;

/** Values are painted on a narrow column of their own at the right edge, because they follow the mouse. */
export const VALUES_PX = 220;

/** The values of all visible lanes at an instant, onto the existing pixels. */
export function paintValues(pen: CanvasRenderingContext2D, scene: Scene, at: Nanos): void {
  const { palette } = scene;
  pen.font = palette.smallFont;
  pen.textBaseline = 'middle';
  pen.textAlign = 'right';
  for (let index = scene.first; index < scene.end; index++) {
    const row = scene.layout.rows[index];
    if (row?.kind !== 'lane') continue;
    const isDown = silenceAt(scene.silences(row), at) !== undefined;
    const text = isDown ? FEED_DOWN : valueText(row, scene.entry(row.lane.id), at);
    if (text === '') continue;
    const middle = row.y + row.height / 2 - scene.scrollTop;
    const width = pen.measureText(text).width + 8;
    pen.fillStyle = palette.plate;
    pen.fillRect(VALUES_PX - width - 4, middle - 7, width, 14);
    pen.fillStyle = text === NO_DATA || text === FEED_DOWN || text === NOT_RECORDED ? palette.muted : palette.text;
    pen.fillText(text, VALUES_PX - 8, middle);
  }
}
