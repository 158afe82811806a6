import { convertUnit } from '../../../base/convert-unit.ts';
import type { NewSample } from '../../../model/rows/records.ts';
import { type MetricName, metrics } from '../../../model/telemetry/metric.ts';

export type Measured = Pick<NewSample, 'metric' | 'value'> & { readonly attributes?: Readonly<Record<string, string>> };

/** Names without their unit, in small letters, and what they mean. */
const known: readonly (readonly [name: RegExp, metric: MetricName, unit?: string])[] = [
  [/^temperature \(sensor (memory|hbm \d+)\)$/, 'hw.gpu.memory.temperature'],
  [/^temperature \(sensor (.+)\)$/, 'hw.temperature'],
  [/^(?:average|current socket) graphics package power$/, 'hw.power'],
  [/^max graphics package power$/, 'hw.power.limit'],
  [/^(?:accumulated energy|energy counter)$/, 'hw.energy'],
  [/^voltage$/, 'hw.voltage'],
  [/^fan speed$/, 'hw.fan.speed_ratio'],
  [/^fan rpm$/, 'hw.fan.speed', 'rpm'],
  [/^gpu use$/, 'hw.gpu.utilization'],
  [/^gpu memory use$/, 'hw.gpu.memory.utilization'],
  [/^vram total memory$/, 'hw.gpu.memory.limit'],
  [/^vram total used memory$/, 'hw.gpu.memory.usage'],
  [/^pcie replay count$/, 'hw.gpu.pcie.replays', '{error}'],
  [/^sclk clock speed$/, 'hw.gpu.clock.sm'],
  [/^mclk clock speed$/, 'hw.gpu.clock.memory'],
];
const unitNames: ReadonlyMap<string, string> = new Map([
  ['c', 'Cel'],
  ['w', 'W'],
  ['mv', 'mV'],
  ['%', '%'],
  ['b', 'By'],
  ['uj', 'uJ'],
  ['mhz', 'MHz'],
]);

/** `Temperature (Sensor edge) (C)`: `31.0`, `sclk clock speed:`: `(300Mhz)`; undefined when it is no measurement. */
export function measuredProperty(property: string, printed: unknown): Measured | undefined {
  const text = typeof printed === 'number' ? String(printed) : typeof printed === 'string' ? printed.trim() : '';
  const [, number = '', behind = ''] = /^\(?(-?\d{1,20}(?:\.\d{1,20})?)\s?([a-z]{0,4})\)?$/i.exec(text) ?? [];
  if (number === '') return undefined;
  const value = Number(number);
  const [, full = '', bracket = ''] = /^(.*?)(?: \(([^()]{1,3})\))?:?$/.exec(property) ?? [];
  const name = full.toLowerCase();
  const unit = unitNames.get((bracket || behind).toLowerCase());
  for (const [pattern, metric, ownUnit] of known) {
    const match = pattern.exec(name);
    if (!match) continue;
    const converted = convertUnit(value, unit ?? ownUnit ?? '', metrics[metric].unit);
    if (converted === undefined) return undefined;
    return { metric, value: converted, ...(match[1] ? { attributes: { sensor: match[1] } } : {}) };
  }
  // Numbers without a unit are levels, versions and ids.
  if (unit === undefined) return undefined;
  return { metric: { name: `rocm_smi.${name.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '')}`, unit }, value };
}
