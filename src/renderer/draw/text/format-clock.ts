import { formatOffset } from './format-time.ts';

export interface SourceClock {
  readonly clock_offset_ns: bigint;
  readonly clock_uncertainty_ns: bigint;
}

/** `+1.80 s ± 0.20 s`: the correction of a data source's times, with its uncertainty. */
export function clockText({ clock_offset_ns: offset, clock_uncertainty_ns: uncertainty }: SourceClock): string {
  const doubt = Number(uncertainty) / 1e9;
  const decimals = doubt > 0 && doubt < 0.01 ? 3 : 2;
  const shown = offset === 0n ? '0 s' : offsetText(Number(offset) / 1e9, decimals);
  return uncertainty === 0n ? shown : `${shown} ± ${doubt.toFixed(decimals)} s`;
}

/** `+1 h 0.50 s`, `−2 m`: every nonzero part, because an hour can hide half a second. */
function offsetText(seconds: number, decimals: number): string {
  const size = Math.abs(seconds);
  if (size < 100) return formatOffset(seconds * 1e9, decimals);
  const hours = Math.floor(size / 3600);
  const minutes = Math.floor((size % 3600) / 60);
  const rest = Number((size % 60).toFixed(decimals));
  const parts = [hours > 0 ? `${hours} h` : '', minutes > 0 ? `${minutes} m` : '', rest > 0 ? `${rest} s` : ''];
  return `${seconds < 0 ? '\u2212' : '+'}${parts.filter((part) => part !== '').join(' ')}`;
}
