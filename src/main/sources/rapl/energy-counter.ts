import { IMPOSSIBLE_W } from './format.ts';

/** A reading of an energy counter that wraps around. */
export interface EnergyReading {
  readonly time_ns: bigint;
  readonly microjoules: number;
  /** Where it wraps; NaN if the recording does not state it. */
  readonly range: number;
}

/** Power between two readings, or the reason why it is unknown. */
export type PowerBetween = { readonly watts: number; readonly ambiguous: boolean } | { readonly reason: string };

/** A package draws this for a longer time only under full load; used to detect several wraps. */
const FULL_LOAD_W = 350;

/**
 * Mean power between two readings. A counter that went back has wrapped once; more wraps are not
 * visible, so the power is ambiguous if the time between the readings is long enough for them.
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
