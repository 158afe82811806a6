import { formatOffset } from './format-time.ts';

export interface SourceClock {
  readonly clock_offset_ns: bigint;
  readonly clock_uncertainty_ns: bigint;
}

/** `+1.80 s ± 0.20 s`: what was added to a source's times, and how sure that is. */
export function clockText({ clock_offset_ns: offset, clock_uncertainty_ns: uncertainty }: SourceClock): string {
  const doubt = Number(uncertainty) / 1e9;
  const decimals = doubt > 0 && doubt < 0.01 ? 3 : 2;
  const shown = offset === 0n ? '0 s' : formatOffset(Number(offset), decimals);
  return uncertainty === 0n ? shown : `${shown} ± ${doubt.toFixed(decimals)} s`;
}
