/** Rectangle of a lane on the canvas, and the x position of its data's offset zero. */
export interface LaneRect {
  readonly y: number;
  readonly height: number;
  readonly width: number;
  readonly pixelRatio: number;
  /** x of `offset_s` 0, and pixels per second. */
  readonly originX: number;
  readonly pixelsPerSecond: number;
}
