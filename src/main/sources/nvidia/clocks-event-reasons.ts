import { clocksEventReasons } from '../../../model/telemetry/metric.ts';

const bits: ReadonlyMap<string, number> = new Map([
  ...clocksEventReasons.map(([bit, name]) => [name, bit] as const),
  // nvidia-smi's XML has "clocks" where nvml.h has "clock", and Redfish has its own names.
  ['display_clocks_setting', 0x100],
  ['clocks_setting', 0x2],
  ['idle', 0x1],
  ['sw_therm_slowdown', 0x20],
  ['hw_therm_slowdown', 0x40],
  ['hw_power_brake', 0x80],
  ['hw_thermal_slowdown_and_power_brake', 0xc0],
]);

/**
 * Mask of the reasons that are active, by their names with or without `clocks_event_reason_` before them. Names that
 * NVML's table lacks have no bit: they come back in `unnamed`.
 */
export function maskOfReasons(active: readonly string[]): {
  readonly mask: number;
  readonly unnamed: readonly string[];
} {
  let mask = 0;
  const unnamed: string[] = [];
  for (const reason of active) {
    const name = reason.toLowerCase().replace(/^clocks?_(event|throttle)_reasons?[._]/, '');
    const bit = bits.get(name);
    if (bit === undefined) unnamed.push(name);
    else mask |= bit;
  }
  return { mask, unnamed };
}
