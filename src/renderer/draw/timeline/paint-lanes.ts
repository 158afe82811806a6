import { visibleText } from '../../../base/visible-text.ts';
import { drawGrid } from '../canvas/axis.ts';
import { crisp, xOf } from '../canvas/time-scale.ts';
import { messages } from '../messages.ts';
import { formatValue } from '../text/format-value.ts';
import { drawBandNames, drawBands } from './bands.ts';
import { drawChain, placeMarks } from './chain-arrows.ts';
import { drawLogs } from './density.ts';
import { drawCounts, drawEventGrounds, drawGlyphs, traceGlyph } from './event-marks.ts';
import { drawImpacts } from './impact-columns.ts';
import { drawMetric, type MetricShape } from './metric-line.ts';
import { badgeLine, eventLine, type LaneRow, type LayerRow, ROW_TALL, rowOfLane } from './row-layout.ts';
import { bandRect, eventRect, metricRect, type Scene } from './scene.ts';

/** Position of lanes that the search filters out, with their badges and arrows. */
const nowhere = { badgeY: Number.NaN, eventY: Number.NaN };

/** The visible lanes, bottom to top: background, impacts, grid, data, chain. */
export function paintLanes(pen: CanvasRenderingContext2D, scene: Scene): void {
  const { scale, palette, height } = scene;
  pen.fillStyle = palette.surface;
  pen.fillRect(0, 0, scale.width, height);
  paintRowGrounds(pen, scene);
  drawGrid(pen, scale, scene.ticks, { palette, height });
  drawImpacts(pen, scene.impacts, scale, { palette, height });
  paintUnread(pen, scene);
  paintDense(pen, scene);
  for (let at = scene.first; at < scene.end; at++) {
    const row = scene.layout.rows[at];
    if (row?.kind === 'lane') paintText(pen, scene, row);
    else if (row?.kind === 'layer' && row.missing) paintMissing(pen, scene, row);
  }
  drawCounts(pen, scene.stacks, palette, scale.width);
  placeMarks(scene.marks, scale, (mark) => {
    const row = rowOfLane(scene.layout, mark.lane, mark.layer);
    if (!row) return nowhere;
    const y = row.y - scene.scrollTop;
    return { badgeY: badgeLine(y, row.height), eventY: eventLine(y, row.height) };
  });
  drawChain(pen, scene.marks, palette, scene.selectedMark);
}

const keyOfLane = ({ lane }: LaneRow): string => `${lane.entity_kind}:${lane.entity_id}`;

function paintRowGrounds(pen: CanvasRenderingContext2D, scene: Scene): void {
  const { palette, scale } = scene;
  const rows = scene.layout.rows;
  for (let at = scene.first; at < scene.end; at++) {
    const row = rows[at];
    if (!row || row.kind === 'more' || row.kind === 'group') continue;
    const y = row.y - scene.scrollTop;
    if (row.kind === 'layer') pen.fillStyle = palette.panel;
    else if (scene.entities.includes(keyOfLane(row))) pen.fillStyle = palette.selection;
    else continue;
    pen.fillRect(0, y, scale.width, row.height);
  }
  pen.strokeStyle = palette.hairline;
  pen.lineWidth = 1 / scale.pixelRatio;
  pen.beginPath();
  for (let at = scene.first; at < scene.end; at++) {
    const row = rows[at];
    if (!row) continue;
    const y = crisp(row.y + row.height - scene.scrollTop - 1, scale.pixelRatio);
    pen.moveTo(0, y);
    pen.lineTo(scale.width, y);
  }
  pen.stroke();
}

/** Time beyond the loaded data is tinted: not yet loaded must not look like not recorded. */
function paintUnread(pen: CanvasRenderingContext2D, scene: Scene): void {
  const { scale } = scene;
  pen.fillStyle = scene.palette.gap;
  for (let at = scene.first; at < scene.end; at++) {
    const row = scene.layout.rows[at];
    if (row?.kind !== 'lane') continue;
    const entry = scene.entry(row.lane.id);
    const left = entry ? Math.min(Math.max(xOf(scale, entry.startNs), 0), scale.width) : scale.width;
    const right = entry ? Math.min(Math.max(xOf(scale, entry.endNs), left), scale.width) : scale.width;
    const y = row.y - scene.scrollTop;
    if (left > 0) pen.fillRect(0, y, left, row.height - 1);
    if (right < scale.width) pen.fillRect(right, y, scale.width - right, row.height - 1);
  }
}

/** Lines, bands, density and glyphs of all visible lanes, as one bitmap. */
function paintDense(pen: CanvasRenderingContext2D, scene: Scene): void {
  const { layer, stacks, colors } = scene;
  stacks.clear();
  const last = scene.layout.rows[scene.end - 1];
  // The lanes may be lower than the window, and every pixel row is cleared, filled and copied twice.
  const height = last ? Math.min(scene.height, last.y + last.height - scene.scrollTop) : scene.height;
  layer.reset(scene.scale.width, height, scene.scale.pixelRatio);
  for (let at = scene.first; at < scene.end; at++) {
    const row = scene.layout.rows[at];
    const entry = row?.kind === 'lane' ? scene.entry(row.lane.id) : undefined;
    if (row?.kind !== 'lane' || !entry) continue;
    const bucketSeconds = entry.bucketNs / 1e9;
    hatchSilences(scene, row);
    if (entry.data.kind === 'bands') {
      drawBands(layer, entry.data, bandRect(scene, row, entry), { colors, bucketSeconds });
    } else if (entry.data.kind === 'logs') {
      drawLogs(layer, entry.data, eventRect(scene, row, entry), { colors, bucketSeconds });
    } else if (entry.data.kind === 'metric' && entry.shape) {
      drawMetric(layer, entry.data, metricRect(scene, row, entry, entry.shape), colors);
    } else if (entry.data.kind === 'events') {
      drawEventGrounds(layer, entry.data, eventRect(scene, row, entry), {
        stacks,
        colors,
        bucketSeconds,
      });
    }
  }
  drawGlyphs(layer, stacks, scene.sprites);
  layer.paintOnto(pen);
}

/** Outages of the feed: unknown, so hatched. */
function hatchSilences(scene: Scene, row: LaneRow): void {
  const { scale, layer, colors } = scene;
  const ratio = scale.pixelRatio;
  const top = Math.round((row.y - scene.scrollTop + 1) * ratio);
  const bottom = Math.round((row.y - scene.scrollTop + row.height - 2) * ratio);
  for (const { startNs, endNs } of scene.silences(row)) {
    const left = Math.round(Math.max(xOf(scale, startNs), 0) * ratio);
    const right = Math.round(Math.min(xOf(scale, endNs), scale.width) * ratio);
    if (right > left) layer.hatch(left, top, right, bottom, colors.gap);
  }
}

function paintText(pen: CanvasRenderingContext2D, scene: Scene, row: LaneRow): void {
  const entry = scene.entry(row.lane.id);
  if (entry?.data.kind === 'broken') paintBroken(pen, scene, row, entry.data.message);
  else if (entry?.data.kind === 'metric' && entry.shape && row.height >= ROW_TALL)
    paintRange(pen, scene, row, entry.shape);
  else if (entry?.data.kind === 'bands') drawBandNames(pen, entry.data, bandRect(scene, row, entry), scene.palette);
}

/** Least and greatest value of what is loaded, or the ends of the axis that was set, where a tall lane has room for both. */
function paintRange(pen: CanvasRenderingContext2D, scene: Scene, row: LaneRow, shape: MetricShape): void {
  const set = scene.range(row.lane.id);
  const [low, high] = set ?? [shape.low, shape.high];
  if (!(low < high)) return;
  const { palette } = scene;
  pen.font = palette.smallFont;
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  const top = row.y - scene.scrollTop;
  for (const [value, y] of [
    [high, top + RANGE_PX],
    [low, top + row.height - RANGE_PX],
  ] as const) {
    const text = formatValue(value, row.lane.unit);
    pen.fillStyle = palette.plate;
    pen.fillRect(2, y - 7, pen.measureText(text).width + 6, 14);
    pen.fillStyle = palette.muted;
    pen.fillText(text, 5, y);
  }
}
const RANGE_PX = 9;

/** A failed lane shows the reason in its place; other lanes are not affected. */
function paintBroken(pen: CanvasRenderingContext2D, scene: Scene, row: LaneRow, message: string): void {
  const middle = row.y + row.height / 2 - scene.scrollTop;
  pen.fillStyle = scene.palette.severity[0];
  pen.beginPath();
  traceGlyph(pen, 0, 14, middle, 5);
  pen.fill();
  pen.font = scene.palette.font;
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  pen.fillStyle = scene.palette.text;
  pen.fillText(messages.laneFailed(visibleText(message)), 26, middle);
}

const HATCH_PX = 8;

/** Layers without data are hatched and labelled. */
function paintMissing(pen: CanvasRenderingContext2D, scene: Scene, row: LayerRow): void {
  const { palette, scale } = scene;
  const top = row.y - scene.scrollTop;
  pen.strokeStyle = palette.gap;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let x = -row.height; x < scale.width; x += HATCH_PX) {
    pen.moveTo(x, top + row.height);
    pen.lineTo(x + row.height, top);
  }
  pen.stroke();
}
