import { isMetricName, type MetricName } from './metric.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Sensors in and around racks: semiconductor probes end at -55 and +150 Cel (TI TMP and LM75 families), dies at 125. */
const temperature: Bounds = { min: -60, max: 200 };
/** Low voltage ends at 1000 V AC and 1500 V DC (IEC 60038, IEC 61140); racks are fed with up to 480 V AC or 800 V DC. */
const voltage: Bounds = { min: -1500, max: 1500 };
/** The feed of a row or a floor PDU is a few megawatts; around zero a meter's offset may be negative. */
const power: Bounds = { min: -0.999, max: 10_000_000 };
/** Busways end at 6300 A (IEC 61439-6 product ranges); the sign is the direction. */
const current: Bounds = { min: -10_000, max: 10_000 };

/** In the unit that `metrics` gives each. What has no bounds here may have any value. */
const bounds: Partial<Readonly<Record<MetricName, Bounds>>> = {
  'hw.power': power,
  'hw.power.apparent': power,
  'hw.power.input': power,
  'hw.power.output': power,
  'hw.power.limit': power,
  'hw.power.capacity': power,
  'hw.power.allocated': power,
  'hw.gpu.memory.power': power,
  'hw.voltage': voltage,
  'hw.battery.voltage': voltage,
  'hw.current': current,
  'hw.battery.current': current,
  'hw.temperature': temperature,
  'hw.gpu.memory.temperature': temperature,
  'hw.battery.temperature': temperature,
  'hw.dew_point': temperature,
  // Mains are 50 or 60 Hz; 400 Hz is fed to aircraft and to some mainframes (ISO 6858).
  'hw.frequency': { min: 0, max: 440 },
  // Capacitive probes are off by up to 5 points (Sensirion and Vaisala data sheets), also at both ends.
  'hw.humidity': { min: -5, max: 105 },
  // Breakers trip within seconds at ten times their rating (IEC 60898-1, curve C).
  'hw.load': { min: 0, max: 1000 },
  // The fastest fans of servers (40 mm, counter-rotating) turn 38000 times a minute.
  'hw.fan.speed': { min: 0, max: 60_000 },
  'hw.fan.speed_ratio': { min: 0, max: 200 },
  'hw.battery.charge': { min: 0, max: 110 },
  'hw.gpu.utilization': { min: 0, max: 100 },
};

/** All bits set, with and without a sign bit: what registers of 16 and 32 bits hold where nothing was measured. */
const BLANK: ReadonlySet<number> = new Set([65_535, 4_294_967_295, 2_147_483_647, -32_768, -2_147_483_648]);

/**
 * Why a number can be no reading of a metric, for the reason of a reject: beyond what there is in a data centre, or a
 * register that was never filled. Bounds are wide: what they let through may still be wrong, what they do not is.
 *
 * @param value in the unit of `metrics`; NaN, a gap, is no reading at all and passes
 * @returns undefined where it may be one, and for metrics without bounds
 */
export function implausible(metric: string, value: number): string | undefined {
  const found = isMetricName(metric) ? bounds[metric] : undefined;
  if (!found || Number.isNaN(value)) return undefined;
  const { min, max } = found;
  if (BLANK.has(value)) return `${value} is the register value for "not measured": no ${metric}`;
  return value < min || value > max ? `no ${metric} is beyond ${min} to ${max}` : undefined;
}
