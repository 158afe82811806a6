import type { LaneData } from '../../../model/contract/index.ts';
import type { Nanos } from '../../../model/time.ts';
import type { Tick } from '../canvas/axis.ts';
import type { PixelColors, PixelLayer } from '../canvas/pixel-layer.ts';
import { type TimeScale, xOf } from '../canvas/time-scale.ts';
import type { Palette } from '../canvas/tokens.ts';
import { type BandRect, bandRows } from './bands.ts';
import type { ChainMark } from './chain-arrows.ts';
import type { GlyphSprites, Stacks } from './event-marks.ts';
import type { ImpactSpan } from './impact-columns.ts';
import type { LaneRect } from './lane-rect.ts';
import type { MetricRect, MetricShape } from './metric-line.ts';
import { niceRange } from './metric-line.ts';
import type { LaneRow, Layout } from './row-layout.ts';

/** The newest response for one lane, and the window that it covers. */
export interface LaneEntry {
  readonly data: LaneData;
  readonly startNs: Nanos;
  readonly endNs: Nanos;
  readonly bucketNs: number;
  /** Metric lanes only. */
  readonly shape: MetricShape | null;
  /** Number of band rows; 0 without bands. */
  readonly depths: number;
}

export interface Silence {
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** Reason that the feed reported; null if only missing data shows the outage. */
  readonly reason: string | null;
}

/** End time of an outage that has not ended. */
export const STILL = 2n ** 62n;

/** The outage of a lane's feed at an instant, if known. */
export const silenceAt = (silences: readonly Silence[], at: bigint): Silence | undefined =>
  silences.find(({ startNs, endNs }) => at > startNs && at < endNs);

/** All data that a frame of the lanes needs, without React. */
export interface Scene {
  readonly layout: Layout;
  readonly first: number;
  readonly end: number;
  readonly scrollTop: number;
  readonly height: number;
  readonly scale: TimeScale;
  readonly palette: Palette;
  readonly ticks: readonly Tick[];
  readonly impacts: readonly ImpactSpan[];
  readonly marks: readonly ChainMark[];
  readonly selectedMark: number;
  /** Entity keys of the selected entities; their lanes are tinted. */
  readonly entities: readonly string[];
  readonly entry: (lane: string) => LaneEntry | undefined;
  /** The y-axis that somebody set; undefined: as the data is. */
  readonly range: (lane: string) => readonly [low: number, high: number] | undefined;
  /** Outages of the feed of a lane. */
  readonly silences: (row: LaneRow) => readonly Silence[];
  readonly stacks: Stacks;
  readonly layer: PixelLayer;
  readonly colors: PixelColors;
  readonly sprites: GlyphSprites;
}

export function eventRect(scene: Scene, row: LaneRow, entry: LaneEntry): LaneRect {
  const { scale } = scene;
  return {
    y: row.y - scene.scrollTop,
    height: row.height,
    width: scale.width,
    pixelRatio: scale.pixelRatio,
    originX: xOf(scale, entry.startNs),
    pixelsPerSecond: 1e9 / scale.nsPerPixel,
  };
}

export const bandRect = (scene: Scene, row: LaneRow, entry: LaneEntry): BandRect => ({
  ...eventRect(scene, row, entry),
  rows: bandRows(entry.depths, row.height),
  isState: row.lane.kind === 'state',
});

export function metricRect(scene: Scene, row: LaneRow, entry: LaneEntry, shape: MetricShape): MetricRect {
  const { scale } = scene;
  const [bottom, top] = scene.range(row.lane.id) ?? niceRange(shape.low, shape.high);
  return {
    y: row.y - scene.scrollTop,
    height: row.height,
    width: scale.width,
    pixelRatio: scale.pixelRatio,
    originX: xOf(scale, entry.startNs),
    bucketPx: entry.bucketNs / scale.nsPerPixel,
    bottom,
    top,
    gapBuckets: shape.gapBuckets,
    breaks: scene.silences(row).map(({ startNs, endNs }) => ({
      from: Number(startNs - entry.startNs) / entry.bucketNs,
      until: Number(endNs - entry.startNs) / entry.bucketNs,
    })),
  };
}
