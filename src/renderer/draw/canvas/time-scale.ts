import { type Nanos, nanos } from '../../../model/time.ts';

/** Maps instants to CSS pixels. `pixelRatio` aligns marks to whole device pixels. */
export interface TimeScale {
  readonly startNs: Nanos;
  readonly nsPerPixel: number;
  readonly width: number;
  readonly pixelRatio: number;
}

export function timeScale(startNs: Nanos, endNs: Nanos, width: number, pixelRatio = 1): TimeScale {
  return { startNs, nsPerPixel: Math.max(Number(endNs - startNs), 1) / Math.max(width, 1), width, pixelRatio };
}

export const xOf = (scale: TimeScale, time: bigint): number => Number(time - scale.startNs) / scale.nsPerPixel;
export const timeAt = (scale: TimeScale, x: number): Nanos =>
  nanos(scale.startNs + BigInt(Math.round(x * scale.nsPerPixel)));

/** Centre of a device pixel, so that a 1 px stroke is one pixel wide. */
export const crisp = (x: number, ratio: number): number => (Math.floor(x * ratio) + 0.5) / ratio;
/** Edge of a device pixel, for fills. */
export const snap = (x: number, ratio: number): number => Math.round(x * ratio) / ratio;
