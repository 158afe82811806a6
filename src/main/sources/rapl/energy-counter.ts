import { IMPOSSIBLE_W } from './format.ts';

/** A reading of an energy counter that wraps round. */
export interface EnergyReading {
  readonly time_ns: bigint;
  readonly microjoules: number;
  /** Where it wraps; NaN when the recording does not say. */
  readonly range: number;
}

/** Power between two readings, or why it cannot be told. */
export type PowerBetween = { readonly watts: number; readonly ambiguous: boolean } | { readonly reason: string };

/** A package draws this for longer than a moment only under full load: what a wrap is judged by. */
const FULL_LOAD_W = 350;

/**
 * Mean power between two readings. A counter that went back has wrapped once; that it has wrapped more often cannot be
 * seen, which makes the power ambiguous where the time between the readings would allow it.
 */
export function powerBetween(from: EnergyReading, to: EnergyReading): PowerBetween {
  const seconds = Number(to.time_ns - from.time_ns) / 1e9;
  if (!(seconds > 0)) return { reason: 'two samples have the same time' };
  const range = Number.isNaN(to.range) ? from.range : to.range;
  let joules = (to.microjoules - from.microjoules) / 1e6;
  if (joules < 0) {
    if (!(range > 0)) return { reason: 'the energy counter went back and max_energy_range_uj is missing' };
    joules += range / 1e6;
  }
  const watts = joules / seconds;
  if (joules < 0 || watts > IMPOSSIBLE_W) return { reason: 'the energy counter was reset between two samples' };
  return { watts, ambiguous: range > 0 && seconds * FULL_LOAD_W > range / 1e6 };
}
