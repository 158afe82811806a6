import { convertUnit } from '../../../base/convert-unit.ts';
import { isMetricName, type MetricName, metrics } from '../../../model/telemetry/metric.ts';
import { type Json, textOf } from './format.ts';

/** What a sensor measures, and the unit of its numbers. */
export interface Quantity {
  readonly metric: MetricName | (string & {});
  readonly unit: string;
  readonly counter?: boolean;
}

/** `Sensor.ReadingType` (DSP2046), and the unit that the schema requires. */
const types: Readonly<Record<string, Quantity>> = {
  Power: { metric: 'hw.power', unit: 'W' },
  Temperature: { metric: 'hw.temperature', unit: 'Cel' },
  Voltage: { metric: 'hw.voltage', unit: 'V' },
  Current: { metric: 'hw.current', unit: 'A' },
  EnergykWh: { metric: 'hw.energy', unit: 'kW.h' },
  EnergyWh: { metric: 'hw.energy', unit: 'W.h' },
  EnergyJoules: { metric: 'hw.energy', unit: 'J' },
  Frequency: { metric: 'hw.frequency', unit: 'Hz' },
  Rotational: { metric: 'hw.fan.speed', unit: 'rpm' },
  Humidity: { metric: 'hw.humidity', unit: '%' },
  PressurekPa: { metric: 'hw.pressure', unit: 'kPa' },
  PressurePa: { metric: 'hw.pressure', unit: 'Pa' },
  Pressure: { metric: 'hw.pressure', unit: 'Pa' },
  LiquidFlowLPM: { metric: 'hw.coolant.flow', unit: 'L/min' },
  AirFlow: { metric: 'hw.airflow', unit: '[cft_i]/min' },
  AirFlowCMM: { metric: 'hw.airflow', unit: 'm3/min' },
};
/** Spellings that controllers use for UCUM units. */
const spellings: Readonly<Record<string, string>> = {
  watts: 'W',
  w: 'W',
  kw: 'kW',
  mw: 'mW',
  celsius: 'Cel',
  cel: 'Cel',
  c: 'Cel',
  degc: 'Cel',
  v: 'V',
  volts: 'V',
  kv: 'kV',
  kilovolts: 'kV',
  mv: 'mV',
  a: 'A',
  amps: 'A',
  ma: 'mA',
  kwh: 'kW.h',
  'kw.h': 'kW.h',
  j: 'J',
  joules: 'J',
  hz: 'Hz',
  rpm: 'rpm',
  '{rev}/min': 'rpm',
  '%': '%',
  percent: '%',
  pa: 'Pa',
  kpa: 'kPa',
  'l/min': 'L/min',
  cfm: '[cft_i]/min',
  'cft_i/min': '[cft_i]/min',
  'm3/min': 'm3/min',
};
const byUnit: Readonly<Record<string, string>> = {
  W: 'Power',
  Cel: 'Temperature',
  V: 'Voltage',
  kV: 'Voltage',
  kW: 'Power',
  A: 'Current',
  rpm: 'Rotational',
  'kW.h': 'EnergykWh',
  J: 'EnergyJoules',
};

export const unitSpelling = (text: string): string => spellings[text.toLowerCase()] ?? text;

/** Limits of a reading, in the unit of its metric. */
export const limitsIn = (
  limits: Readonly<Record<string, number>>,
  { metric, unit }: Quantity,
): Record<string, number> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [
      name,
      (isMetricName(metric) ? convertUnit(value, unit, metrics[metric].unit) : undefined) ?? value,
    ]),
  );

/** What a Sensor resource measures; its type takes precedence over its unit, which is often wrong. */
export function quantityOf(doc: Json, onMismatch: (text: string) => void): Quantity {
  const written = textOf(doc['ReadingUnits']);
  const unit = unitSpelling(written);
  const name = `${textOf(doc['Id'])} ${textOf(doc['Name'])}`;
  const type = textOf(doc['ReadingType']) || byUnit[unit] || '';
  if (type === 'Percent' || (type === '' && unit === '%')) return percentage(name);
  const wanted = Object.hasOwn(types, type) ? types[type] : undefined;
  if (!wanted) return { metric: `redfish.${type || 'Reading'}`, unit: unit || '' };
  const fits = unit === '' || convertUnit(1, unit, wanted.unit) !== undefined;
  if (!fits) onMismatch(`sensors whose unit does not fit their type are read by their type (${type} in "${written}")`);
  const quantity = fits && unit !== '' ? { ...wanted, unit } : wanted;
  return special(quantity, doc, name);
}

/** Sensors that measure something else than their type states. */
function special(quantity: Quantity, doc: Json, name: string): Quantity {
  // NVIDIA's margins to a limit count down to zero where temperatures rise.
  if (quantity.metric === 'hw.temperature' && /temp_?limit|t_?limit|margin/i.test(name.replace(/ /g, '_')))
    return { ...quantity, metric: 'hw.temperature.margin' };
  // Clocks are no mains frequencies, and power limits are no measured power.
  if (quantity.metric === 'hw.frequency' && /^(CPU|GPU|Memory)$/i.test(textOf(doc['PhysicalContext'])))
    return { ...quantity, metric: 'redfish.ClockFrequency' };
  if (quantity.metric === 'hw.power' && /Enforced|Limit|EDPp|EDPc/i.test(name))
    return { ...quantity, metric: 'redfish.PowerLimit' };
  return quantity;
}

function percentage(name: string): Quantity {
  if (/fan|pwm|pump/i.test(name)) return { metric: 'hw.fan.speed_ratio', unit: '%' };
  return { metric: /util|usage/i.test(name) ? 'redfish.Utilization' : 'redfish.Percent', unit: '%' };
}
