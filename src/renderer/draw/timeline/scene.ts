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

/** The newest answer for one lane, and the window it was asked for. */
export interface LaneEntry {
  readonly data: LaneData;
  readonly startNs: Nanos;
  readonly endNs: Nanos;
  readonly bucketNs: number;
  /** Of metric lanes only. */
  readonly shape: MetricShape | null;
  /** How deep its bands lie; 0 where it has none. */
  readonly depths: number;
}

export interface Silence {
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** Why, by the feed's own word; null where only its silence tells. */
  readonly reason: string | null;
}

/** The end of what has not ended. */
export const STILL = 2n ** 62n;

/** When the feed of a lane was down at an instant; undefined when it was not, as far as is known. */
export const silenceAt = (silences: readonly Silence[], at: bigint): Silence | undefined =>
  silences.find(({ startNs, endNs }) => at > startNs && at < endNs);

/** Everything a frame of the lanes is painted from; plain data, no React. */
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
  /** Selected entities, as `kind:id`; their lanes are tinted. */
  readonly entities: readonly string[];
  readonly entry: (lane: string) => LaneEntry | undefined;
  /** When the feed of a lane was down, as it is drawn. */
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
  const [bottom, top] = niceRange(shape.low, shape.high);
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
